import type { Module } from '#kernel/implement.ts'

export const deviceModules: readonly Module[] = []
