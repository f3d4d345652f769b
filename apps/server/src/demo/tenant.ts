import { RoleInput, role } from '@oms/contract/account/role.ts'
import { SceneInput, scene } from '@oms/contract/tenant/scene.ts'
import { eq, inArray, like, ne, or, sql } from 'drizzle-orm'
import { runAsActor } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { formatLocalTime } from '#core/time/zone.ts'
import { setRolePermissions } from '#modules/account/role-member.ts'
import { createRole } from '#modules/account/role.ts'
import { createScene } from '#modules/tenant/scene.ts'
import { createTenantWithAdmin } from '#modules/tenant/open-tenant.ts'
import { accountRoles, accounts, roles } from '#core/schema/account.ts'
import { menus } from '#core/schema/system.ts'
import { appAccounts, industries, scenes, tenants, userApplications } from '#core/schema/tenant.ts'
import { addPerson } from './account.ts'
import { DAY_MS, type Demo, runCall } from './call.ts'
import { CUSTOMER_PEOPLE, createRandom, DEMO_SCENES, DEMO_TENANTS, DISABLED_CUSTOMER } from './vendor.ts'

const KEPT_CUSTOMERS = 5

/** First-level industry with its code, then its second-level industries. */
const INDUSTRIES = [
  ['智能硬件', 'HARDWARE', ['安防设备', '智能家居', '工业设备']],
  ['物业与楼宇', 'PROPERTY', ['住宅物业', '商业楼宇']],
  ['新能源', 'ENERGY', []],
  ['物流运输', 'LOGISTICS', ['冷链物流']],
  ['教育', 'EDUCATION', []],
  ['酒店文旅', 'TRAVEL', ['酒店', '景区']],
] as const

/** Industry, mailbox, area code, address and credit code of each tenant, in the order of CUSTOMERS. */
const DETAILS = [
  ['智能家居', 'sunhc@haichuan.example.com', '330108', '浙江省杭州市滨江区江南大道588号', '91330108MA2A0B1C0P'],
  ['安防设备', 'huang@yunqi.example.com', '440305', '广东省深圳市南山区科苑路15号', '91440305MA5D0E2F0A'],
  ['新能源', 'lu@qiming.example.com', '320505', '江苏省苏州市虎丘区科技城培源路1号', '91320505MA1G0H3J03'],
  ['住宅物业', 'yang@rongcheng.example.com', '510107', '四川省成都市武侯区天府大道中段99号', '91510107MA6K0L4M0R'],
  ['冷链物流', 'wang@yuanyang.example.com', '370211', '山东省青岛市黄岛区前湾港路66号', '91370211MA3N0P5Q0N'],
  ['教育', 'gu@qixia.example.com', '320113', '江苏省南京市栖霞区仙林大道163号', '91320113MA1R0T6U0K'],
  ['商业楼宇', 'ye@changjiang.example.com', '420106', '湖北省武汉市武昌区中北路109号', '91420106MA4W0X7Y0Y'],
  ['酒店', 'zheng@ludao.example.com', '350203', '福建省厦门市思明区环岛南路12号', '91350203MA8A0B8C0R'],
  ['景区', 'luo@gucheng.example.com', '610103', '陕西省西安市碑林区南大街30号', '91610103MA7D0E9F08'],
  ['工业设备', 'feng@binhai.example.com', '120116', '天津市滨海新区黄海路2号', '91120116MA0G0H1J0D'],
] as const

/** Applications: account, name, telephone, tenant, reason, age in days, result. */
const NEWCOMERS = [
  ['zhangwei88', '张伟', '13600010001', 0, '新入职的设备运维，请通过', 1, 0],
  ['liuyan_hc', '刘妍', '13600010002', 0, '售后二线，需要查看设备', 2, 0],
  ['wangqiang01', '王强', '13600010003', 1, '安装部门', 3, 0],
  ['sunli_qm', '孙丽', '13600010004', 2, '接替陆工负责固件', 0, 0],
  ['zhoutao99', '周涛', '13600010005', 3, '', 6, 2],
  ['wumin_test', '吴敏', '13600010006', 4, '填错单位了', 9, 3],
  ['hejun2025', '何军', '13600010007', 5, '外包驻场', 45, 4],
] as const

const NAMES = ['晨曦', '小树', '海风', '老王', '悠然', '阿杰', '星河', '米粒', '南山', '橙子', '青禾', '木木'] as const
const REGIONS = [
  '浙江杭州',
  '广东深圳',
  '江苏苏州',
  '四川成都',
  '山东青岛',
  '江苏南京',
  '湖北武汉',
  '福建厦门',
] as const
/** App users per tenant level: larger tenants have more. */
const USERS_PER_LEVEL = 40

const matching = (grant: string) =>
  grant.endsWith(':*') ? like(menus.perms, `${grant.slice(0, -1)}%`) : eq(menus.perms, grant)

async function menusOf({ db }: Demo, grants: readonly string[]) {
  const rows = await db
    .select({ id: menus.id })
    .from(menus)
    .where(or(...grants.map(matching)))
  return rows.map(({ id }) => id)
}

export async function seedDemoScenes(demo: Demo) {
  for (const [sceneName, sceneCode, isDefault, grants] of DEMO_SCENES) {
    const menuIds = await menusOf(demo, grants)
    const input = SceneInput.parse({
      sceneName,
      sceneCode,
      isDefault,
      description: `${sceneName}相关的页面与按钮`,
      menuIds,
    })
    await runCall(demo, { name: 'create', ...scene.create }, input, createScene)
  }
}

/** Creates tenants with their administrators, an engineer role and a few accounts each. */
export async function seedDemoCustomers(demo: Demo, passwordHash: string) {
  for (const [place, customer] of DEMO_TENANTS.entries()) await addCustomer(demo, { place, customer, passwordHash })
  const { db } = demo
  await db.update(accounts).set({ pwdMustChange: false }).where(sql`${accounts.uid} % 4 <> 0`)
  await db.update(tenants).set({ status: 0 }).where(eq(tenants.name, DISABLED_CUSTOMER))
  // Tenants in the data scope of the customer manager.
  const kept = DEMO_TENANTS.slice(0, KEPT_CUSTOMERS).map(([name]) => name)
  const found = await db.select({ id: tenants.id }).from(tenants).where(inArray(tenants.name, kept))
  await db
    .update(roles)
    .set({ scopeIds: found.map(({ id }) => id) })
    .where(eq(roles.roleCode, 'customer_manager'))
}

interface NewCustomer {
  readonly place: number
  readonly customer: (typeof DEMO_TENANTS)[number]
  readonly passwordHash: string
}

async function addCustomer(demo: Demo, { place, customer, passwordHash }: NewCustomer) {
  const { services, db, actor } = demo
  const [name, shortName, contactName, contactPhone, level, days, more] = customer
  const tenant = {
    name,
    shortName,
    contactName,
    contactPhone,
    level,
    companySize: 1 + (place % 4),
    accountCount: level === 3 ? -1 : level * 10,
    deviceQuota: level * 1000,
    sceneIds: await sceneIdsOf(demo, more),
    beginTime: dayFromNow(services, -400),
    // An expired tenant receives no accounts, so the date of expiry follows after them.
    expireTime: days > 0 ? dayFromNow(services, days) : null,
  }
  const prefix = `kh${String(place + 1).padStart(2, '0')}`
  const what = { name: 'create', method: 'POST', path: '/api/v1/tenant', title: '新增客户', input: { name } } as const
  const { id } = await runAsActor(services, actor, what, (ctx) =>
    createTenantWithAdmin(ctx, tenant, { account: `${prefix}_admin`, realname: contactName }, passwordHash),
  )
  const roleId = await engineerRole(demo, id)
  for (const [at, realname] of CUSTOMER_PEOPLE.slice(0, level * 2).entries())
    await addPerson(
      services,
      actor,
      { account: `${prefix}_${at + 1}`, realname, roleIds: [roleId], tenantId: id },
      passwordHash,
    )
  await db
    .update(tenants)
    .set({ expireTime: dayFromNow(services, days) })
    .where(eq(tenants.id, id))
}

const dayFromNow = (services: Services, days: number) =>
  formatLocalTime(services.now().getTime() + days * DAY_MS, services.config.timeZone)

/** Returns the default scenes and those with these codes. The first administrator receives the menus of all of them. */
async function sceneIdsOf({ db }: Demo, codes: readonly string[]) {
  const found = await db
    .select({ id: scenes.id })
    .from(scenes)
    .where(or(eq(scenes.isDefault, 1), inArray(scenes.sceneCode, [...codes])))
  return found.map(({ id }) => id)
}

async function engineerRole(demo: Demo, tenantId: number) {
  const input = { ...RoleInput.parse({ roleName: '设备管理员', roleCode: 'device_admin', roleSort: 20 }), tenantId }
  const { id } = await runCall(demo, { name: 'create', ...role.create }, input, createRole)
  const menuIds = await menusOf(demo, ['upgrade:ota:list', 'upgrade:ota:query', 'system:manager:list'])
  const grant = { roleId: id, menuIds, rev: 0 }
  await runCall(demo, { name: 'permission', ...role.permission }, grant, setRolePermissions)
  return id
}

/** Creates what belongs to tenants: industries, addresses, join applications and App users. */
export async function seedDemoApplications({ db, services }: Demo, passwordHash: string) {
  const now = services.now()
  const kinds = await addIndustries(db)
  await describe(db, kinds)
  const hosts = await db.select({ id: tenants.id, name: tenants.name }).from(tenants).where(ne(tenants.id, 1))
  const tenantIds = new Map(hosts.map(({ id, name }) => [name, id]))
  await addNewcomers(db, now, passwordHash, tenantIds)
  await addJoinedAccounts(db, now, tenantIds)
  await addAppUsers(db, now)
}

async function addIndustries(db: Db) {
  const ids = new Map<string, number>()
  const add = async (values: typeof industries.$inferInsert) => {
    const [made] = await db.insert(industries).values(values).returning({ id: industries.id })
    ids.set(values.name, made!.id)
    return made!.id
  }
  for (const [at, [name, code, below]] of INDUSTRIES.entries()) {
    const parentId = await add({ name, code, sort: (at + 1) * 10 })
    for (const [place, child] of below.entries())
      await add({ name: child, code: `${code}_${place + 1}`, parentId, sort: (place + 1) * 10 })
  }
  return ids
}

async function describe(db: Db, kinds: ReadonlyMap<string, number>) {
  for (const [at, [name]] of DEMO_TENANTS.entries()) {
    const [kind, contactEmail, areaCode, address, licenseNumber] = DETAILS[at]!
    await db
      .update(tenants)
      .set({ industryId: kinds.get(kind) ?? null, contactEmail, areaCode, address, licenseNumber })
      .where(eq(tenants.name, name))
  }
  // Marks the warnings of the first scheduled run as sent, so that the demo starts with exactly its own messages.
  await db.execute(sql`update tenants set warned_days = 30
    where id > 1 and expire_time > now() and expire_time <= now() + interval '30 days'`)
  await db.execute(sql`update tenants set status = 0, expired_at = expire_time where id > 1 and expire_time <= now()`)
}

/** Creates accounts without a tenant and their applications. */
async function addNewcomers(db: Db, now: Date, passwordHash: string, tenantIds: ReadonlyMap<string, number>) {
  for (const [index, [account, realname, mobileNo, at, reason, days, status]] of NEWCOMERS.entries()) {
    const createTime = new Date(now.getTime() - days * DAY_MS - 3_600_000).toISOString()
    const [made] = await db
      .insert(accounts)
      .values({ account, realname, mobileNo, passwordHash, createTime })
      .returning({ uid: accounts.uid })
    await db.insert(userApplications).values({
      applyNo: numberOf(index + 1),
      uid: made!.uid,
      account,
      realname,
      mobileNo,
      tenantId: tenantIds.get(DEMO_TENANTS[at][0]) as number,
      reason,
      status,
      createTime,
      ...(status === 2 && {
        auditName: '客户管理员',
        auditTime: createTime,
        auditRemark: '不是本公司人员，请联系物业经理',
      }),
      ...(status > 2 && { auditTime: createTime }),
    })
  }
}

/** Creates approved applications of accounts that joined long ago. */
async function addJoinedAccounts(db: Db, now: Date, tenantIds: ReadonlyMap<string, number>) {
  let no = NEWCOMERS.length
  for (const at of [0, 1, 2]) {
    const [joined] = await db
      .select({ uid: accounts.uid, account: accounts.account, realname: accounts.realname, roleId: roles.id })
      .from(accounts)
      .innerJoin(accountRoles, eq(accountRoles.uid, accounts.uid))
      .innerJoin(roles, eq(roles.id, accountRoles.roleId))
      .where(eq(accounts.account, `kh0${at + 1}_1`))
    if (!joined) continue
    const createTime = new Date(now.getTime() - (60 + at * 9) * DAY_MS).toISOString()
    await db.insert(userApplications).values({
      applyNo: numberOf(++no),
      uid: joined.uid,
      account: joined.account,
      realname: joined.realname,
      tenantId: tenantIds.get(DEMO_TENANTS[at]![0]) as number,
      reason: '申请加入',
      status: 1,
      roleIds: [joined.roleId],
      auditName: '客户管理员',
      auditTime: createTime,
      auditRemark: '欢迎加入',
      createTime,
    })
  }
}

const numberOf = (no: number) => `SQ${String(no).padStart(8, '0')}`

async function addAppUsers(db: Db, now: Date) {
  const random = createRandom(20_260)
  const hosts = await db
    .select({ id: tenants.id, level: tenants.level })
    .from(tenants)
    .where(ne(tenants.id, 1))
    .orderBy(tenants.id)
  const rows = hosts.flatMap(({ id: tenantId, level }, place) =>
    Array.from({ length: level * USERS_PER_LEVEL }, (_, at) => {
      const registered = now.getTime() - (5 + random(700)) * DAY_MS - random(86_400) * 1000
      const active = Math.min(now.getTime() - random(60) * DAY_MS - random(86_400) * 1000, now.getTime())
      return {
        tenantId,
        account: `app${place + 1}_${String(at + 1).padStart(4, '0')}`,
        mobileNo: `139${String(place + 1).padStart(2, '0')}${String(10_000 + at * 7).padStart(6, '0')}`,
        email: at % 3 === 0 ? `user${place + 1}.${at + 1}@mail.example.com` : null,
        nickname: `${NAMES[random(NAMES.length)]}${random(100)}`,
        region: REGIONS[random(REGIONS.length)] ?? '',
        registerSource: random(10) < 7 ? 1 : random(2) + 2,
        registerTime: new Date(registered).toISOString(),
        lastActiveTime: new Date(Math.max(active, registered)).toISOString(),
        status: random(40) === 0 ? 0 : 1,
      }
    }),
  )
  await db.insert(appAccounts).values(rows)
}
