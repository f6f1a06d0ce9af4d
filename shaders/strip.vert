#version 330 core
// A piece of one row of the timeline: from its first to its last busy pixel column.
layout(location = 0) in ivec4 a_rect;  // left, right, top, bottom: px from the plot's corner
layout(location = 1) in int a_row;     // of the texture
uniform vec2 u_origin;                 // of the plot, px
uniform vec2 u_scale;                  // framebuffer pixels per px
uniform vec2 u_framebuffer;            // size
flat out int v_row;
flat out vec2 v_top_bottom;            // framebuffer pixels from the top

void main() {
    float x = float((gl_VertexID & 1) == 0 ? a_rect.x : a_rect.y);
    float y = float((gl_VertexID >> 1) == 0 ? a_rect.z : a_rect.w);
    v_row = a_row;
    v_top_bottom = (u_origin.y + vec2(a_rect.zw)) * u_scale.y;
    vec2 fraction = (u_origin + vec2(x, y)) * u_scale / u_framebuffer;
    gl_Position = vec4(fraction.x * 2.0 - 1.0, 1.0 - fraction.y * 2.0, 0.0, 1.0);
}
