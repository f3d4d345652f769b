import { sql } from 'drizzle-orm'
import { settings } from '#core/schema/system.ts'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { seedDemoAdPlays } from './ads/ad-plays.ts'
import { seedDemoAds } from './ads/ads.ts'
import { seedDemoClones } from './agents/agent-clones.ts'
import { seedDemoAgentOrders } from './agents/agent-orders.ts'
import { seedDemoAgentPackages } from './agents/agent-sales.ts'
import { seedDemoAgentTalks } from './agents/agent-talks.ts'
import { seedDemoAgents } from './agents/agents.ts'
import { createCustomerDemo } from './customers.ts'
import { seedDemoFirmware } from './firmware.ts'
import { seedDemoFleet } from './fleet.ts'
import { createDemoHistory } from './history.ts'
import { seedDemoLicenses } from './licenses.ts'
import { seedDemoNotices } from './messages.ts'
import { seedDemoCustomers, seedDemoScenes, seedDemoStaff } from './people.ts'
import { seedDemoPrograms } from './ads/programs.ts'
import { seedDemoScreens } from './ads/screens.ts'
import { seedDemoSoftware } from './software.ts'
import { seedDemoEntitlements } from './storage/storage-entitlements.ts'
import { seedDemoGrantFiles } from './storage/grant-files.ts'
import { seedDemoStorageSales } from './storage/storage-sales.ts'
import { seedDemoStorageVideos } from './storage/storage-videos.ts'
import { seedDemoStoragePackages } from './storage/storage.ts'
import { seedDemoRecordings } from './storage/recordings.ts'
import { createDemoTickets } from './tickets.ts'
import { seedDemoReleases } from './releases.ts'
import { DEMO_PASSWORD } from './vendor.ts'

const KEY = 'demo'

/** Creates all demo data in one transaction and reports each step to `say`. Returns false when the demo data already exists. */
export async function createDemoData(services: Services, say = (_step: string) => {}): Promise<boolean> {
  const { db } = services.database
  const filled = await db.select().from(settings).where(sql`${settings.key} = ${KEY}`)
  if (filled.length > 0) return false
  const passwordHash = await services.passwords.hash(computeMd5Hex(DEMO_PASSWORD))
  const demo = await db.transaction(async (tx) => {
    // A slow machine may need minutes for one of the large statements, and between two of them.
    await tx.execute(sql`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`)
    // Passes the transaction as the database, so that services open nested transactions inside this transaction.
    const inside: Services = { ...services, database: { ...services.database, db: tx } }
    say('账号、固件与设备')
    const admin = await seedDemoStaff(inside, passwordHash)
    await seedDemoScenes(inside, admin)
    await seedDemoCustomers(inside, admin, passwordHash)
    await seedDemoFirmware(inside, admin)
    await seedDemoFleet(tx, admin.user.uid)
    await seedDemoReleases(tx, admin.user.uid)
    await seedDemoSoftware(inside, admin, tx)
    await createCustomerDemo(tx, services.now(), passwordHash)
    say('授权与云存储')
    await seedDemoLicenses(tx, admin.user.uid)
    await seedDemoStoragePackages(inside, tx, admin)
    await seedDemoEntitlements(inside, tx, admin)
    await seedDemoStorageSales(inside, tx, admin)
    await seedDemoStorageVideos(tx)
    say('广告与工单')
    await seedDemoAds(inside, tx, admin)
    await seedDemoScreens(tx)
    await seedDemoPrograms(inside, tx, admin)
    await createDemoTickets(inside, tx, admin)
    await seedDemoNotices(inside, admin)
    await seedDemoAdPlays(inside, tx)
    say('语音智能体与历史记录')
    await seedDemoVoice(inside, tx, admin)
    await createDemoHistory(tx)
    await tx.insert(settings).values({ key: KEY, value: 1 })
    return admin
  })
  await seedDemoRecordings(services, demo)
  await seedDemoGrantFiles(services, demo)
  return true
}

async function seedDemoVoice(services: Services, tx: Db, admin: Awaited<ReturnType<typeof seedDemoStaff>>) {
  await seedDemoAgents(tx, admin.user.uid)
  await seedDemoAgentTalks(services, tx)
  await seedDemoClones(services, tx, admin.user.uid)
  await seedDemoAgentPackages(services, tx, admin)
  await seedDemoAgentOrders(services, tx, admin)
}
