import type { Module } from '#kernel/implement.ts'

export const tenantModules: readonly Module[] = []
