#version 330 core
// Kind 0: the texel is the colour of its pixel column. Kind 1: it holds shares of three classes, stacked from the bottom.
// Kind 2: red is a level, filled from the bottom.
flat in ivec2 v_row_kind;
flat in vec2 v_top_bottom;
uniform sampler2D u_columns;
uniform vec2 u_origin;
uniform vec2 u_scale;
uniform vec2 u_framebuffer;
uniform vec3 u_class_colors[4];  // compute, communication, memory, levels
layout(location = 0) out vec4 o_color;

void main() {
    int column = int(gl_FragCoord.x / u_scale.x - u_origin.x);
    vec4 texel = texelFetch(u_columns, ivec2(column, v_row_kind.x), 0);
    if (texel.a == 0.0) discard;
    if (v_row_kind.y == 0) {
        o_color = texel;
        return;
    }
    float from_top = u_framebuffer.y - gl_FragCoord.y;
    float level = (v_top_bottom.y - from_top) / (v_top_bottom.y - v_top_bottom.x);
    // What is there shows, however little: the lowest pixel belongs to the first class present.
    float least = 1.0 / (v_top_bottom.y - v_top_bottom.x);
    float sum = max(texel.r + texel.g + texel.b, least);
    if (level > sum) discard;
    if (v_row_kind.y == 2) o_color = vec4(u_class_colors[3], 1.0);
    else if (level <= texel.r) o_color = vec4(u_class_colors[0], 1.0);
    else if (level <= texel.r + texel.g || texel.b == 0.0) o_color = vec4(u_class_colors[texel.g > 0.0 ? 1 : 0], 1.0);
    else o_color = vec4(u_class_colors[2], 1.0);
}
