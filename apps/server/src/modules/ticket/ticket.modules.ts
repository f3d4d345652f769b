import type { Module } from '#kernel/implement.ts'

export const ticketModules: readonly Module[] = []
