import { createHash, randomBytes } from 'node:crypto'
import { DICT_SEED } from '@oms/contract/system/dict-seed.ts'
import { eq, sql } from 'drizzle-orm'
import type { Database, Db } from '#core/database/client.ts'
import { accountRoles, accounts, roles } from '#core/schema/account.ts'
import { settings } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { listBuiltinMenus, syncMenus } from '#core/auth/menus.ts'
import { computeMd5Hex, type Passwords } from '#core/auth/passwords.ts'
import { DATA_SCOPE_CODE, SUPER_ROLE_ID } from '#core/auth/rights.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { syncDicts } from '#modules/system/dict-sync.ts'
import { SHIPPED_AGENT_ROWS, syncAgentRows } from './seed-agents.ts'
import { STANDARD_ROLES, syncRoles } from './seed-roles.ts'

/** Advisory lock of seeding. Several processes may start on one new database: one seeds, the others wait. */
const SEED_LOCK = 0x6f6d7301

export interface SeedResult {
  /** One-time password of `admin`. Set only when this start created the account without a given password. */
  readonly oneTimePassword: string | undefined
}

interface FirstPassword {
  readonly plain: string
  /** True for a generated password. `admin` must change it at the first login. */
  readonly isOneTime: boolean
  readonly hash: string
}

interface SeedOptions {
  readonly passwords: Passwords
  readonly adminPassword: string | undefined
  /** Password hash started before the database is open, because hashing takes a large part of a first start. */
  readonly firstPassword?: Promise<FirstPassword> | undefined
}

/** Returns the first password of `admin`: `given`, or a generated readable password. */
export async function makeFirstPassword(passwords: Passwords, given: string | undefined): Promise<FirstPassword> {
  const plain = given ?? createReadablePassword()
  return { plain, isOneTime: given === undefined, hash: await passwords.hash(computeMd5Hex(plain)) }
}

/** Seeds the database: platform tenant, super administrator role, `admin`, menus, dictionaries. Safe at every start. */
export async function seedDatabase(
  { db }: Pick<Database, 'db'>,
  { passwords, adminPassword, firstPassword }: SeedOptions,
): Promise<SeedResult> {
  return db.transaction(async (tx) => {
    // Another process may be seeding a new database on a slow disk, for longer than the time limits of calls.
    await tx.execute(sql`set local lock_timeout = '120s'; set local statement_timeout = '120s'`)
    await tx.execute(sql`select pg_advisory_xact_lock(${SEED_LOCK})`)
    await seedShippedRows(tx)
    return { oneTimePassword: await seedAdmin(tx, () => firstPassword ?? makeFirstPassword(passwords, adminPassword)) }
  })
}

/**
 * Seeds rows of every installation: platform tenant, super administrator role, menus, dictionaries. Creates no account.
 */
export async function seedShippedRows(db: Db) {
  const [known] = await db.select({ value: settings.value }).from(settings).where(eq(settings.key, SHIPPED))
  const shipped = shippedRowsKey()
  if (known?.value === shipped) return
  await db.insert(tenants).values(PLATFORM).onConflictDoNothing()
  await db.insert(roles).values(SUPER_ROLE).onConflictDoNothing()
  await db.execute(sql`select setval(pg_get_serial_sequence('tenants', 'id'), greatest((select max(id) from tenants), 1)),
    setval(pg_get_serial_sequence('roles', 'id'), greatest((select max(id) from roles), 1))`)
  await syncShipped(db, shipped)
}

/** Changed when the way of synchronising changed, so that every database is synchronised once more. */
const ROLES_BY_LIST = 1

/** Returns a key that changes with the program's menus, dictionaries, roles or shipped rows of agents. */
export const shippedRowsKey = () =>
  createHash('sha256')
    .update(JSON.stringify([ROLES_BY_LIST, listBuiltinMenus(), DICT_SEED, STANDARD_ROLES, SHIPPED_AGENT_ROWS]))
    .digest('hex')

/**
 * Synchronises menus, dictionaries, roles and the shipped rows of agents, and stores the key of these lists. Callers
 * skip this work while the stored key equals the key of the program.
 */
async function syncShipped(db: Db, shipped: string) {
  await syncMenus(db)
  await syncDicts(db)
  await syncRoles(db)
  await syncAgentRows(db)
  await db
    .insert(settings)
    .values({ key: SHIPPED, value: shipped })
    .onConflictDoUpdate({ target: settings.key, set: { value: shipped } })
}

const SHIPPED = 'shipped'
const PLATFORM = { id: PLATFORM_TENANT_ID, tenantNo: 'T000001', name: '平台运营中心', shortName: '平台' }
const SUPER_ROLE = {
  id: SUPER_ROLE_ID,
  tenantId: PLATFORM_TENANT_ID,
  roleName: '超级管理员',
  roleCode: 'admin',
  dataScope: DATA_SCOPE_CODE.all,
  isBuiltin: 1,
}

/** Creates `admin` only while the system has no account. A renamed or deleted `admin` is never created again. */
async function seedAdmin(db: Db, firstPassword: () => Promise<FirstPassword>) {
  const [existing] = await db.select({ uid: accounts.uid }).from(accounts).limit(1)
  if (existing) return undefined
  const { plain, isOneTime, hash } = await firstPassword()
  const [created] = await db
    .insert(accounts)
    .values({
      account: 'admin',
      realname: '系统管理员',
      tenantId: PLATFORM_TENANT_ID,
      passwordHash: hash,
      pwdMustChange: isOneTime,
      isTenantAdmin: true,
    })
    .returning({ uid: accounts.uid })
  // The rows may come from an old template. Sets their times, and the months of log partitions, to the time of the
  // installation.
  await db.update(tenants).set({ createTime: sql`now()` as never, updateTime: sql`now()` as never })
  await db.update(roles).set({ createTime: sql`now()` as never, updateTime: sql`now()` as never })
  await db.execute(sql`select oms_ensure_partitions('oper_logs', 3), oms_ensure_partitions('login_logs', 3),
    oms_ensure_partitions('agent_turns', 3)`)
  if (created) await db.insert(accountRoles).values({ uid: created.uid, roleId: SUPER_ROLE_ID })
  await db
    .update(roles)
    .set({ createBy: created?.uid ?? null })
    .where(eq(roles.id, SUPER_ROLE_ID))
  return isOneTime ? plain : undefined
}

/** Returns a password of twelve characters without similar ones (0/O, 1/l/I): 60 bits, short enough to type. */
export function createReadablePassword() {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
  return [...randomBytes(12)].map((byte) => alphabet[byte % alphabet.length]).join('')
}
