import { sql } from 'drizzle-orm'
import { settings } from '#db/schema/system.ts'
import { md5Hex } from '#kernel/passwords.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { fillCustomerWorld } from './customers.ts'
import { fillFirmware } from './firmware.ts'
import { fillFleet } from './fleet.ts'
import { fillHistory } from './history.ts'
import { fillLicenses } from './licenses.ts'
import { fillNotices } from './messages.ts'
import { fillCustomers, fillScenes, fillStaff } from './people.ts'
import { fillSoftware } from './software.ts'
import { fillTickets } from './tickets.ts'
import { fillReleases } from './releases.ts'
import { DEMO_PASSWORD } from './vendor.ts'

const KEY = 'demo'

/** Fills an installation with the demo's vendor once: all of it or, when killed meanwhile, nothing. Answers whether it did. */
export async function fillDemo(kernel: Kernel): Promise<boolean> {
  const { db } = kernel.database
  const filled = await db.select().from(settings).where(sql`${settings.key} = ${KEY}`)
  if (filled.length > 0) return false
  const passwordHash = await kernel.passwords.hash(md5Hex(DEMO_PASSWORD))
  await db.transaction(async (tx) => {
    // Services that open transactions of their own open them inside this one.
    const inside: Kernel = { ...kernel, database: { ...kernel.database, db: tx } }
    const demo = await fillStaff(inside, passwordHash)
    await fillScenes(inside, demo)
    await fillCustomers(inside, demo, passwordHash)
    await fillFirmware(inside, demo)
    await fillFleet(tx, demo.user.uid)
    await fillReleases(tx, demo.user.uid)
    await fillSoftware(inside, demo, tx)
    await fillCustomerWorld(tx, kernel.now(), passwordHash)
    await fillLicenses(tx, demo.user.uid)
    await fillTickets(inside, tx, demo)
    await fillNotices(inside, demo)
    await fillHistory(tx)
    await tx.insert(settings).values({ key: KEY, value: 1 })
  })
  return true
}
