#version 330 core
// A colour; hatched where its alpha is not 1: waiting for a later rank.
flat in vec4 v_color;
uniform vec2 u_px_per_pixel;           // 1 / u_scale
layout(location = 0) out vec4 o_color;

void main() {
    float along = fract((gl_FragCoord.x - gl_FragCoord.y) * (u_px_per_pixel.x / 6.0));  // stripes of 2 px in 6
    float shade = v_color.a < 1.0 && along < 1.0 / 3.0 ? 0.5 : 1.0;
    o_color = vec4(v_color.rgb * shade, 1.0);
}
