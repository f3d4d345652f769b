import type { Module } from '#kernel/implement.ts'

export const upgradeModules: readonly Module[] = []
