import type { Kernel } from '#kernel/kernel.ts'

export function registerTenantJobs(_kernel: Kernel) {}
