import { sql } from 'drizzle-orm'
import { settings } from '#schema/system.ts'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import type { Services } from '#core/services.ts'
import { fillAdPlays } from './ads/ad-plays.ts'
import { fillAds } from './ads/ads.ts'
import { fillClones } from './agents/agent-clones.ts'
import { fillAgentOrders } from './agents/agent-orders.ts'
import { fillAgentPackages } from './agents/agent-sales.ts'
import { fillAgentTalks } from './agents/agent-talks.ts'
import { fillAgents } from './agents/agents.ts'
import { createCustomerDemo } from './customers.ts'
import { fillFirmware } from './firmware.ts'
import { fillFleet } from './fleet.ts'
import { createDemoHistory } from './history.ts'
import { fillLicenses } from './licenses.ts'
import { fillNotices } from './messages.ts'
import { fillCustomers, fillScenes, fillStaff } from './people.ts'
import { fillPrograms } from './ads/programs.ts'
import { fillScreens } from './ads/screens.ts'
import { fillSoftware } from './software.ts'
import { fillEntitlements } from './storage/storage-entitlements.ts'
import { fillGrantFiles } from './storage/grant-files.ts'
import { fillStorageSales } from './storage/storage-sales.ts'
import { fillStorageVideos } from './storage/storage-videos.ts'
import { fillStoragePackages } from './storage/storage.ts'
import { fillRecordings } from './storage/recordings.ts'
import { createDemoTickets } from './tickets.ts'
import { fillReleases } from './releases.ts'
import { DEMO_PASSWORD } from './vendor.ts'

const KEY = 'demo'

/** Creates all demo data in one transaction. Returns false when the demo data already exists. */
export async function createDemoData(services: Services): Promise<boolean> {
  const { db } = services.database
  const filled = await db.select().from(settings).where(sql`${settings.key} = ${KEY}`)
  if (filled.length > 0) return false
  const passwordHash = await services.passwords.hash(computeMd5Hex(DEMO_PASSWORD))
  const demo = await db.transaction(async (tx) => {
    // A slow machine may need minutes for one of the large statements, and between two of them.
    await tx.execute(sql`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`)
    // Passes the transaction as the database, so that services open nested transactions inside this transaction.
    const inside: Services = { ...services, database: { ...services.database, db: tx } }
    const admin = await fillStaff(inside, passwordHash)
    await fillScenes(inside, admin)
    await fillCustomers(inside, admin, passwordHash)
    await fillFirmware(inside, admin)
    await fillFleet(tx, admin.user.uid)
    await fillReleases(tx, admin.user.uid)
    await fillSoftware(inside, admin, tx)
    await createCustomerDemo(tx, services.now(), passwordHash)
    await fillLicenses(tx, admin.user.uid)
    await fillStoragePackages(inside, tx, admin)
    await fillEntitlements(inside, tx, admin)
    await fillStorageSales(inside, tx, admin)
    await fillStorageVideos(tx)
    await fillAds(inside, tx, admin)
    await fillScreens(tx)
    await fillPrograms(inside, tx, admin)
    await createDemoTickets(inside, tx, admin)
    await fillNotices(inside, admin)
    await fillAdPlays(inside, tx)
    await fillAgents(tx, admin.user.uid)
    await fillAgentTalks(inside, tx)
    await fillClones(inside, tx, admin.user.uid)
    await fillAgentPackages(inside, tx, admin)
    await fillAgentOrders(inside, tx, admin)
    await createDemoHistory(tx)
    await tx.insert(settings).values({ key: KEY, value: 1 })
    return admin
  })
  await fillRecordings(services, demo)
  await fillGrantFiles(services, demo)
  return true
}
