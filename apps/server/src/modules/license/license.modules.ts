import type { Module } from '#kernel/implement.ts'

export const licenseModules: readonly Module[] = []
