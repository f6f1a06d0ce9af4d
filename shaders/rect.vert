#version 330 core
// One instance per rectangle, in whole px from the plot's corner: rounded once, on the CPU, from exact times.
layout(location = 0) in ivec4 a_rect;   // left, right, top, bottom
layout(location = 1) in vec4 a_color;
uniform vec2 u_origin;
uniform vec2 u_scale;
uniform vec2 u_framebuffer;
flat out vec4 v_color;

void main() {
    float x = float((gl_VertexID & 1) == 0 ? a_rect.x : a_rect.y);
    float y = float((gl_VertexID >> 1) == 0 ? a_rect.z : a_rect.w);
    vec2 fraction = (u_origin + vec2(x, y)) * u_scale / u_framebuffer;
    v_color = a_color;
    gl_Position = vec4(fraction.x * 2.0 - 1.0, 1.0 - fraction.y * 2.0, 0.0, 1.0);
}
