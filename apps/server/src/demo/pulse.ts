import type { Kernel } from '#kernel/kernel.ts'

const EVERY_MS = 4 * 60_000

/**
 * The demo's devices do not exist and so never poll: this speaks for those shown online, or the fleet would be dark a
 * quarter of an hour after the start. They are known by their addresses (TEST-NET-3), from which no device can come.
 */
export function registerDemoPulse({ jobs, database }: Kernel) {
  const pulse = async () => {
    const { rowCount } = await database.pool.query(
      `update devices set last_online_time = now() where online = 1 and deleted_at is null and ip like '203.0.113.%'`,
    )
    return { devices: rowCount }
  }
  jobs.register('demo-pulse', pulse, { everyMs: EVERY_MS })
}
