import { sql } from 'drizzle-orm'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import type { Services } from '#core/services.ts'
import { rebuildFleetCounts } from '#modules/device/fleet/fleet-counts.ts'
import { settings } from '#core/schema/system.ts'
import { seedDemoStaff } from './account.ts'
import { seedDemoAds } from './ads.ts'
import { refreshDemoScreens, seedDemoAdPlays, seedDemoPrograms, seedDemoScreens } from './advertise.ts'
import { seedDemoAgents } from './agent.ts'
import { seedDemoAgentOrders, seedDemoAgentPackages } from './agent-sales.ts'
import type { Demo } from './call.ts'
import { seedDemoFleet, seedDemoModels } from './device.ts'
import { createDemoHistory } from './history.ts'
import { seedDemoLicenses } from './license.ts'
import { seedDemoNotices } from './notice.ts'
import { seedDemoRecordings, seedDemoVideos } from './playback.ts'
import { seedDemoEntitlements, seedDemoGrantFiles, seedDemoStoragePackages, seedDemoStorageSales } from './storage.ts'
import { seedDemoApplications, seedDemoCustomers, seedDemoScenes } from './tenant.ts'
import { seedDemoTickets } from './ticket.ts'
import { seedDemoReleases, seedDemoAppReleases, seedDemoVersions } from './upgrade.ts'
import { DEMO_PASSWORD } from './vendor.ts'
import { seedDemoViews } from './views.ts'

const KEY = 'demo'

/** Creates all demo data in one transaction and reports each step to `say`. Returns false when the demo data already exists. */
export async function createDemoData(services: Services, say = (_step: string) => {}): Promise<boolean> {
  const { db } = services.database
  const filled = await db.select().from(settings).where(sql`${settings.key} = ${KEY}`)
  if (filled.length > 0) return false
  const passwordHash = await services.passwords.hash(computeMd5Hex(DEMO_PASSWORD))
  const actor = await db.transaction(async (tx) => {
    // A slow machine may need minutes for one of the large statements, and between two of them.
    await tx.execute(sql`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`)
    // Passes the transaction as the database, so that services open nested transactions inside this transaction.
    const inside: Services = { ...services, database: { ...services.database, db: tx } }
    say('账号、固件与设备')
    const demo: Demo = { services: inside, db: tx, actor: await seedDemoStaff(inside, passwordHash) }
    await seedDemoScenes(demo)
    await seedDemoCustomers(demo, passwordHash)
    await seedDemoApplications(demo, passwordHash)
    await seedDemoModels(demo)
    await seedDemoVersions(demo)
    await seedDemoFleet(demo)
    await seedDemoReleases(demo)
    await seedDemoAppReleases(demo)
    say('授权与云存储')
    await seedDemoLicenses(demo)
    await seedDemoStoragePackages(demo)
    await seedDemoEntitlements(demo)
    await seedDemoStorageSales(demo)
    await seedDemoVideos(demo)
    say('广告与工单')
    await seedDemoAds(demo)
    await seedDemoScreens(demo)
    await seedDemoPrograms(demo)
    await seedDemoAdPlays(demo)
    await seedDemoTickets(demo)
    await seedDemoNotices(demo)
    await seedDemoViews(demo)
    say('语音智能体与历史记录')
    await seedDemoAgents(demo)
    await seedDemoAgentPackages(demo)
    await seedDemoAgentOrders(demo)
    await createDemoHistory(tx)
    await rebuildFleetCounts(inside)
    await tx.insert(settings).values({ key: KEY, value: 1 })
    return demo.actor
  })
  // The services of recordings and of files of grants open their own transactions.
  const committed: Demo = { services, db, actor }
  await seedDemoRecordings(committed)
  await seedDemoGrantFiles(committed)
  return true
}

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
