import { ADVERTISE_CATALOGUE } from '@oms/contract/advertise/permissions.ts'
import { AFTER_SERVICE_CATALOGUE } from '@oms/contract/ticket/permissions.ts'
import { AGENT_CATALOGUE as AGENT_PAGES } from '@oms/contract/agent/permissions.ts'
import type { CatalogueDirectory } from '@oms/contract/core/permissions.ts'
import { DEVICE_CATALOGUE as DEVICE_PAGES } from '@oms/contract/device/permissions.ts'
import { LICENSE_CATALOGUE as LICENSE_PAGES } from '@oms/contract/license/permissions.ts'
import { STORAGE_CATALOGUE as STORAGE_PAGES } from '@oms/contract/storage/permissions.ts'
import { TENANT_CATALOGUE as TENANT_PAGES } from '@oms/contract/tenant/permissions.ts'
import { UPGRADE_CATALOGUE } from '@oms/contract/upgrade/permissions.ts'
import { eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { roleMenus, roles } from '#core/schema/account.ts'
import { settings, menus } from '#core/schema/system.ts'
import { DATA_SCOPE_CODE } from '#core/auth/rights.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

interface StandardRole {
  readonly roleCode: string
  readonly roleName: string
  readonly dataScope: number
  readonly roleSort: number
  /** Initial permission strings; `prefix:*` means every action of the page. */
  readonly grants: readonly string[]
  /** Permissions excluded from `prefix:*`. */
  readonly lacks?: readonly string[]
}

const READ = ['list', 'query', 'export'] as const
const reads = (...prefixes: string[]) => prefixes.flatMap((prefix) => READ.map((action) => `${prefix}:${action}`))

/** Permission prefixes of all pages of a directory. A new page belongs to the roles of its directory. */
const prefixesOf = ({ pages }: CatalogueDirectory) => pages.map(({ prefix }) => prefix)
const TENANTS = prefixesOf(TENANT_PAGES)
const DEVICES = prefixesOf(DEVICE_PAGES)
const UPGRADES = prefixesOf(UPGRADE_CATALOGUE)
const LICENSES = prefixesOf(LICENSE_PAGES)
const STORAGE = prefixesOf(STORAGE_PAGES)
const ADS = prefixesOf(ADVERTISE_CATALOGUE)
const AGENTS = prefixesOf(AGENT_PAGES)
const SERVICE = prefixesOf(AFTER_SERVICE_CATALOGUE)
const SYSTEM_READ = ['system:manager', 'system:rolemanagement', 'system:operLog', 'system:loginLog', 'system:userList']
const everyAction = (prefixes: readonly string[]) => prefixes.map((prefix) => `${prefix}:*`)

/** Permissions that show secrets in plain text or act on voice servers. Only the super administrator starts with them. */
const AGENT_SECRETS = ['agent:config:plain', 'agent:params:plain', 'agent:params:action']

/** Permissions to approve content. The operator of ads starts without them, because another person approves. */
const AD_AUDITS = ['advertiseManage:adList:audit', 'advertiseManage:ProgramList:audit']

/** Initial roles of the platform's staff. Administrators may change or delete them like other roles. */
export const STANDARD_ROLES: readonly StandardRole[] = [
  {
    roleCode: 'ops_manager',
    roleName: '运营主管',
    dataScope: DATA_SCOPE_CODE.all,
    roleSort: 10,
    grants: [
      ...everyAction([
        ...TENANTS,
        ...DEVICES,
        ...LICENSES,
        ...STORAGE,
        ...SERVICE,
        ...ADS,
        ...AGENTS,
        'AccountAdministration:accountList',
      ]),
      ...reads(...UPGRADES, ...SYSTEM_READ),
      'index:indexScreen:bigScreen',
      'index:indexScreen:display',
      'system:noticeManage:*',
      'system:webhooks:*',
      'system:AboutUs:list',
    ],
    lacks: AGENT_SECRETS,
  },
  {
    roleCode: 'customer_manager',
    roleName: '客户经理',
    dataScope: DATA_SCOPE_CODE.chosen,
    roleSort: 15,
    grants: [
      ...everyAction(TENANTS).filter((grant) => grant !== 'tenantManage:industry:*'),
      ...reads('tenantManage:industry', ...DEVICES, ...STORAGE, ...SERVICE),
      'AccountAdministration:accountList:list',
      'AccountAdministration:accountList:query',
    ],
    lacks: ['tenantManage:tenant:remove'],
  },
  {
    roleCode: 'device_engineer',
    roleName: '设备工程师',
    dataScope: DATA_SCOPE_CODE.all,
    roleSort: 20,
    grants: [...reads(...TENANTS, ...SERVICE), ...everyAction([...DEVICES, ...LICENSES, ...UPGRADES])],
  },
  // This role serves all tenants. With the scope of its own tenant, it would only see the platform's own devices.
  {
    roleCode: 'aftersales_lead',
    roleName: '售后主管',
    dataScope: DATA_SCOPE_CODE.all,
    roleSort: 30,
    grants: [...reads(...TENANTS, ...DEVICES, ...UPGRADES, ...STORAGE), ...everyAction(SERVICE)],
  },
  {
    roleCode: 'aftersales_agent',
    roleName: '售后专员',
    dataScope: DATA_SCOPE_CODE.all,
    roleSort: 40,
    grants: [
      ...reads(...SERVICE.slice(0, 3), 'device:apkManage').filter((grant) => !grant.endsWith(':export')),
      'AfterService:Questions:submit',
      'AfterService:Questions:add',
      'AfterService:PendingList:claim',
    ],
  },
  {
    roleCode: 'oss_operator',
    roleName: '云存运营',
    dataScope: DATA_SCOPE_CODE.all,
    roleSort: 50,
    grants: [...reads(...TENANTS, ...DEVICES), ...everyAction(STORAGE)],
  },
  {
    roleCode: 'ad_operator',
    roleName: '广告运营',
    dataScope: DATA_SCOPE_CODE.all,
    roleSort: 54,
    grants: [...reads(...TENANTS, ...DEVICES), ...everyAction(ADS)],
    lacks: AD_AUDITS,
  },
  {
    roleCode: 'ad_auditor',
    roleName: '广告审核',
    dataScope: DATA_SCOPE_CODE.all,
    roleSort: 56,
    grants: [...reads(...TENANTS, ...DEVICES, ...ADS), ...AD_AUDITS],
  },
  {
    roleCode: 'agent_operator',
    roleName: '智能体运营',
    dataScope: DATA_SCOPE_CODE.all,
    roleSort: 60,
    grants: [...reads(...TENANTS, ...DEVICES), ...everyAction(AGENTS)],
    lacks: AGENT_SECRETS,
  },
  {
    roleCode: 'auditor',
    roleName: '审计员',
    dataScope: DATA_SCOPE_CODE.all,
    roleSort: 90,
    grants: reads(
      ...TENANTS,
      ...DEVICES,
      ...UPGRADES,
      ...LICENSES,
      ...STORAGE,
      ...SERVICE,
      ...ADS,
      ...AGENTS,
      ...SYSTEM_READ,
      'system:sceneManagement',
      'system:noticeManage',
      'system:webhooks',
      'system:systemPerm',
      'system:systemDict',
    ),
  },
]

const OFFERED = 'standardRoles'
/** Codes of the roles that every database created at its first start before the list of offered codes existed. */
const FIRST_OFFERED = STANDARD_ROLES.map(({ roleCode }) => roleCode).filter(
  (code) => !['agent_operator', 'ad_operator', 'ad_auditor'].includes(code),
)

/**
 * Creates each standard role once: all at the first start, and a new one at the first start of the version that brings it.
 * Later changes by administrators are kept, and a deleted role stays deleted.
 */
export async function syncRoles(db: Db) {
  const offered = new Set(await offeredCodes(db))
  for (const { grants, lacks = [], ...role } of STANDARD_ROLES) {
    if (offered.has(role.roleCode)) continue
    const [created] = await db
      .insert(roles)
      .values({ ...role, tenantId: PLATFORM_TENANT_ID })
      .onConflictDoNothing()
      .returning({ id: roles.id })
    if (created) await grantAll(db, created.id, grants, lacks)
  }
  const value = STANDARD_ROLES.map(({ roleCode }) => roleCode)
  await db.insert(settings).values({ key: OFFERED, value }).onConflictDoUpdate({ target: settings.key, set: { value } })
}

/** Returns the codes of roles that the database has, or had until an administrator deleted them. */
async function offeredCodes(db: Db): Promise<readonly string[]> {
  const [list] = await db.select({ value: settings.value }).from(settings).where(eq(settings.key, OFFERED))
  if (list) return list.value as string[]
  const known = await db.select({ code: roles.roleCode }).from(roles).where(sql`${roles.id} > 1`)
  return known.length === 0 ? [] : [...FIRST_OFFERED, ...known.map(({ code }) => code)]
}

async function grantAll(db: Db, roleId: number, grants: readonly string[], lacks: readonly string[]) {
  const wholePages = grants.flatMap((grant) => (grant.endsWith(':*') ? [`${grant.slice(0, -1)}%`] : []))
  const byName = inArray(
    menus.perms,
    grants.filter((grant) => !grant.endsWith(':*')),
  )
  const byPage = wholePages.map((pattern) => sql`${menus.perms} like ${pattern}`)
  const wanted = await db
    .select({ menuId: menus.id, perms: menus.perms })
    .from(menus)
    .where(sql.join([byName, ...byPage], sql` or `))
  if (wanted.length)
    await db
      .insert(roleMenus)
      .values(wanted.filter(({ perms }) => !lacks.includes(perms)).map(({ menuId }) => ({ roleId, menuId })))
      .onConflictDoNothing()
}
