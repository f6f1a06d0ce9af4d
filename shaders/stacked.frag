#version 330 core
// The texel holds shares of three classes, stacked from the bottom of the row; what is there shows, however little.
// 1 - alpha is the share that waits for a later rank while nothing computes: the lower part of communication, hatched.
flat in int v_row;
flat in vec2 v_top_bottom;
uniform sampler2D u_columns;
uniform vec2 u_origin;
uniform vec2 u_px_per_pixel;
uniform vec2 u_framebuffer;
uniform vec3 u_colors[4];              // compute, communication, memory, nothing
uniform vec3 u_waiting;
uniform float u_nothing;               // alpha where no class is
layout(location = 0) out vec4 o_color;

void main() {
    int column = int(gl_FragCoord.x * u_px_per_pixel.x - u_origin.x);
    vec4 texel = texelFetch(u_columns, ivec2(column, v_row), 0);
    vec3 share = texel.rgb;
    float least = 1.0 / (v_top_bottom.y - v_top_bottom.x);
    float level = (v_top_bottom.y - u_framebuffer.y + gl_FragCoord.y) * least;
    float two = share.r + share.g;
    float sum = two + share.b;
    int color = level <= share.r ? 0 : level <= two ? 1 : 2;
    // The lowest pixel belongs to the first class that is present.
    if (level <= least && sum > 0.0 && level > sum) color = share.r > 0.0 ? 0 : share.g > 0.0 ? 1 : 2;
    else if (level > sum) color = 3;
    float along = fract((gl_FragCoord.x - gl_FragCoord.y) * (u_px_per_pixel.x / 6.0));  // stripes of 2 px in 6
    bool waits = color == 1 && texel.a < 1.0 && level <= share.r + 1.0 - texel.a;
    vec3 rgb = waits ? u_waiting * (along < 1.0 / 3.0 ? 0.5 : 1.0) : u_colors[color];
    o_color = vec4(rgb, color == 3 ? u_nothing : 1.0);
}
