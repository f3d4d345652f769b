import type { Services } from '#core/services.ts'
import { refreshDemoScreens } from './ads/screen-pulse.ts'

/**
 * Registers a job that refreshes the poll time of demo devices shown as online, the last upload of demo cameras, and the
 * reports of demo screens. Demo devices never poll and would otherwise be offline after a quarter of an hour. Their
 * addresses are in TEST-NET-3, which no real device uses.
 */
export function registerDemoPulse(services: Services) {
  const { jobs, database } = services
  const pulse = async () => {
    const { rowCount } = await database.pool.query(
      `update devices set last_online_time = now() where online = 1 and deleted_at is null and ip like '203.0.113.%'`,
    )
    await database.pool.query(
      `update oss_device_status set upload_time = now(), ask_time = now()
      where answer = 'recording' and device_id % 27 <> 1 and upload_time > now() - interval '1 day'`,
    )
    return { devices: rowCount, screens: await refreshDemoScreens(services) }
  }
  jobs.schedule('demo-pulse', pulse, { title: '演示设备在线', cron: '40 */4 * * * *' })
}
