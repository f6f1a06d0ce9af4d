#version 330 core
// The texel holds shares of three classes, stacked from the bottom of the row; what is there shows, however little.
flat in int v_row;
flat in vec2 v_top_bottom;
uniform sampler2D u_columns;
uniform vec2 u_origin;
uniform vec2 u_px_per_pixel;
uniform vec2 u_framebuffer;
uniform vec3 u_colors[4];              // compute, communication, memory, nothing
layout(location = 0) out vec4 o_color;

void main() {
    int column = int(gl_FragCoord.x * u_px_per_pixel.x - u_origin.x);
    vec3 share = texelFetch(u_columns, ivec2(column, v_row), 0).rgb;
    float least = 1.0 / (v_top_bottom.y - v_top_bottom.x);
    float level = (v_top_bottom.y - u_framebuffer.y + gl_FragCoord.y) * least;
    float two = share.r + share.g;
    float sum = two + share.b;
    int color = level <= share.r ? 0 : level <= two ? 1 : 2;
    // The lowest pixel belongs to the first class that is present.
    if (level <= least && sum > 0.0 && level > sum) color = share.r > 0.0 ? 0 : share.g > 0.0 ? 1 : 2;
    else if (level > sum) color = 3;
    o_color = vec4(u_colors[color], 1.0);
}
