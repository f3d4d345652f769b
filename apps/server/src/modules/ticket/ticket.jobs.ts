import type { Kernel } from '#kernel/kernel.ts'

export function registerTicketJobs(_kernel: Kernel) {}
