import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { OVERVIEW_BLOCKS, type OverviewBlock, type OverviewBlockKey } from '@oms/contract/tenant/tenant-info.ts'
import type { tenant } from '@oms/contract/tenant/tenant.ts'
import { APPLY_STATUS } from '@oms/contract/tenant/user-apply.ts'
import { and, desc, eq, gte, isNotNull, sql, between, inArray } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { forbidden } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { loginLogs } from '#core/schema/system.ts'
import { appAccounts, userApplications } from '#core/schema/tenant.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { addDays } from '#core/time/zone.ts'
import { readCachedFigure } from '#modules/device/fleet/fleet-counts.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { ossCounts, ossEnds, ossFlows } from '#modules/storage/schema.ts'
import { findLastDays, licensesBlock, ticketsBlock, voiceBlock } from './overview-service-blocks.ts'
import { assertTenantVisible, readTenant } from './tenant-rows.ts'

const ROWS = 6
const MODELS = 8
/** Type of a login in the login log; the other types are renewals, logouts and ended sessions. */
const PASSWORD_LOGIN = 1
/** Last moment of a day. The App reports the times of App accounts, so a time may be in the future. */
const endOf = (day: string) => `${day} 23:59:59.999`

const devicesBlock: OverviewBlockSource = {
  title: '设备',
  may: (user) => user.can('device:apkManage:list'),
  async load({ services }, tenantId) {
    const { models: rows } = await readCachedFigure(services, `tenant devices ${tenantId}`, (db) =>
      byModel(db, tenantId),
    )
    const sum = (key: 'n' | 'online' | 'off' | 'inactive') => rows.reduce((total, row) => total + row[key], 0)
    const total = sum('n')
    const url = `/device/apkManage?tenantId=${tenantId}`
    return {
      figures: [
        { label: '设备总数', value: total, url },
        { label: '在线', value: sum('online'), tone: 'good' as const, url: `${url}&online=1` },
        { label: '离线', value: total - sum('online') - sum('inactive'), url: `${url}&online=0&activated=1` },
        { label: '未激活', value: sum('inactive'), url: `${url}&online=0&activated=0` },
        {
          label: '已停用',
          value: sum('off'),
          ...(sum('off') > 0 && { tone: 'warn' as const }),
          url: `${url}&status=0`,
        },
      ],
      bars: rows.slice(0, MODELS).map(({ name, n, online }) => ({ label: name, value: n, part: online })),
      rows: [],
      url,
    }
  },
}

/** Counts a tenant's devices by model, most frequent first. */
async function byModel(db: Db, tenantId: number) {
  const models = await db
    .select({
      name: sql<string>`coalesce(${deviceModels.modelName}, '未知型号')`,
      n: sql<number>`sum(counted.n)::int`,
      online: sql<number>`sum(counted.online)::int`,
      off: sql<number>`sum(counted.off)::int`,
      inactive: sql<number>`sum(counted.inactive)::int`,
    })
    .from(
      db
        .select({
          modelId: devices.modelId,
          n: sql<number>`count(*)`.as('n'),
          online: sql<number>`count(*) filter (where ${devices.online} = 1)`.as('online'),
          off: sql<number>`count(*) filter (where ${devices.status} = 0)`.as('off'),
          inactive: sql<number>`count(*) filter (where ${devices.online} = 0 and ${devices.activateTime} is null)`.as(
            'inactive',
          ),
        })
        .from(devices)
        .where(and(eq(devices.tenantId, tenantId), notDeleted(devices)))
        .groupBy(devices.modelId)
        .as('counted'),
    )
    .leftJoin(deviceModels, sql`${deviceModels.id} = counted.model_id`)
    .groupBy(deviceModels.modelName)
    .orderBy(desc(sql`2`))
  return { models, rows: models.reduce((total, { n }) => total + n, 0) }
}

const staffBlock: OverviewBlockSource = {
  title: '账号',
  may: (user) => user.can('system:userList:list'),
  async load(ctx, tenantId) {
    const { db } = ctx
    const own = and(eq(accounts.tenantId, tenantId), notDeleted(accounts))
    const { from, to } = findLastDays(ctx, 30)
    const [sums] = await db
      .select({
        total: sql<number>`count(*)::int`,
        off: sql<number>`count(*) filter (where ${accounts.status} = 0)::int`,
        recent: sql<number>`count(*) filter (where ${accounts.lastLoginTime} >= ${from})::int`,
      })
      .from(accounts)
      .where(own)
    const latest = await db
      .select()
      .from(accounts)
      .where(own)
      .orderBy(sql`${accounts.isTenantAdmin} desc, ${accounts.lastLoginTime} desc nulls last, ${accounts.uid}`)
      .limit(ROWS)
    const url = `/system/userList?tenantId=${tenantId}`
    return {
      figures: [
        { label: '账号数', value: sums?.total ?? 0, url },
        { label: '近 30 天登录', value: sums?.recent ?? 0, url: `${url}&loginBegin=${from}&loginEnd=${to}` },
        { label: '已停用', value: sums?.off ?? 0, url: `${url}&status=0` },
      ],
      bars: [],
      rows: latest.map(({ uid, account, realname, isTenantAdmin, status, lastLoginTime }) => ({
        id: String(uid),
        title: realname || account,
        detail: isTenantAdmin ? `${account} · 管理员` : account,
        time: lastLoginTime,
        state: status === 1 ? '启用' : '停用',
        tone: status === 1 ? ('good' as const) : ('none' as const),
        url: `/system/userList?account=${encodeURIComponent(account)}`,
      })),
      url,
    }
  },
}

/** Counts the logins of today and of the last days, and the failed logins. */
async function countLogins({ db }: Pick<Ctx, 'db'>, tenantId: number, { from, to }: ReturnType<typeof findLastDays>) {
  const loggedIn = sql`${loginLogs.status} = 1 and ${loginLogs.loginType} = ${PASSWORD_LOGIN}`
  const [sums] = await db
    .select({
      today: sql<number>`count(*) filter (where ${loginLogs.loginTime} >= ${to} and ${loggedIn})::int`,
      week: sql<number>`count(*) filter (where ${loggedIn})::int`,
      failed: sql<number>`count(*) filter (where ${loginLogs.status} = 0)::int`,
    })
    .from(loginLogs)
    .where(and(eq(loginLogs.tenantId, tenantId), gte(loginLogs.loginTime, from)))
  return sums ?? { today: 0, week: 0, failed: 0 }
}

const loginsBlock: OverviewBlockSource = {
  title: '登录',
  may: (user) => user.can('system:loginLog:list'),
  async load(ctx, tenantId) {
    const period = findLastDays(ctx, 7)
    const { today, week, failed } = await countLogins(ctx, tenantId, period)
    const latest = await ctx.db
      .select()
      .from(loginLogs)
      .where(and(eq(loginLogs.tenantId, tenantId), gte(loginLogs.loginTime, findLastDays(ctx, 30).from)))
      .orderBy(desc(loginLogs.loginTime), desc(loginLogs.infoId))
      .limit(ROWS)
    const url = `/system/loginLog?tenantId=${tenantId}`
    const since = (day: string) => `&beginTime=${day}&endTime=${period.to}`
    const logins = `${url}&status=1&loginType=${PASSWORD_LOGIN}`
    return {
      figures: [
        { label: '今日登录', value: today, url: logins + since(period.to) },
        { label: '近 7 天登录', value: week, url: logins + since(period.from) },
        {
          label: '近 7 天失败',
          value: failed,
          ...(failed ? { tone: 'warn' as const } : {}),
          url: `${url}&status=0${since(period.from)}`,
        },
      ],
      bars: [],
      rows: latest.map(({ infoId, account, ip, browser, os, loginTime, status, msg }) => ({
        id: String(infoId),
        title: account,
        detail: [ip, browser, os].filter(Boolean).join(' · '),
        time: loginTime,
        state: msg || (status === 1 ? '成功' : '失败'),
        tone: status === 1 ? ('good' as const) : ('bad' as const),
      })),
      url,
    }
  },
}

const APPLY_TONE = ['warn', 'good', 'bad', 'none', 'none'] as const

const applicationsBlock: OverviewBlockSource = {
  title: '加入申请',
  may: (user) => user.can('tenantManage:userapplication:list'),
  async load({ db }, tenantId) {
    const own = eq(userApplications.tenantId, tenantId)
    const [sums] = await db
      .select({
        pending: sql<number>`count(*) filter (where ${userApplications.status} = 0)::int`,
        approved: sql<number>`count(*) filter (where ${userApplications.status} = 1)::int`,
        rejected: sql<number>`count(*) filter (where ${userApplications.status} = 2)::int`,
      })
      .from(userApplications)
      .where(own)
    const latest = await db.select().from(userApplications).where(own).orderBy(desc(userApplications.id)).limit(ROWS)
    const url = `/tenantManage/userapplication?tenantId=${tenantId}`
    const figure = (label: string, value = 0, status: number) => ({ label, value, url: `${url}&status=${status}` })
    return {
      figures: [
        { ...figure('待审批', sums?.pending, 0), ...(sums?.pending ? { tone: 'warn' as const } : {}) },
        figure('已通过', sums?.approved, 1),
        figure('已驳回', sums?.rejected, 2),
      ],
      bars: [],
      rows: latest.map(({ id, account, realname, reason, createTime, status }) => ({
        id: String(id),
        title: realname || account,
        detail: reason || account,
        time: createTime,
        state: APPLY_STATUS[status as keyof typeof APPLY_STATUS] ?? '',
        tone: APPLY_TONE[status] ?? ('none' as const),
      })),
      url,
    }
  },
}

const appAccountsBlock: OverviewBlockSource = {
  title: 'App账号',
  may: (user) => user.can('AccountAdministration:accountList:list'),
  async load(ctx, tenantId) {
    const { db, services } = ctx
    const { from, to } = findLastDays(ctx, 30)
    const own = and(eq(appAccounts.tenantId, tenantId), notDeleted(appAccounts))
    const [sums] = await db
      .select({
        total: sql<number>`count(*)::int`,
        active: sql<number>`count(*) filter (where ${appAccounts.lastActiveTime} between ${from} and ${endOf(to)})::int`,
        fresh: sql<number>`count(*) filter (where ${appAccounts.registerTime} between ${from} and ${endOf(to)})::int`,
      })
      .from(appAccounts)
      .where(own)
    const { rows: bound } = await readCachedFigure(services, `tenant bound ${tenantId}`, async (pool) => ({
      rows: await pool.$count(
        devices,
        and(eq(devices.tenantId, tenantId), isNotNull(devices.appAccountId), notDeleted(devices)),
      ),
    }))
    const url = `/AccountAdministration/accountList?tenantId=${tenantId}`
    return {
      figures: [
        { label: '账号数', value: sums?.total ?? 0, url },
        { label: '近 30 天活跃', value: sums?.active ?? 0, url: `${url}&activeBegin=${from}&activeEnd=${to}` },
        { label: '近 30 天注册', value: sums?.fresh ?? 0, url: `${url}&beginTime=${from}&endTime=${to}` },
        { label: '已绑定设备', value: bound, url: `/device/apkManage?tenantId=${tenantId}&appBound=1` },
      ],
      bars: [],
      rows: [],
      url,
    }
  },
}

const [WAITING, IN_FORCE] = [0, 1]
/** Kinds of flows that are sales: opened and renewed. */
const SALES = [1, 2]

/** Counts the tenant's entitlements to cloud storage, from the sums. */
const storageBlock: OverviewBlockSource = {
  title: '云存储',
  may: (user) => user.can('ossManage:deviceList:list'),
  async load(ctx, tenantId) {
    const { db } = ctx
    const { from, to: today } = findLastDays(ctx, 30)
    const last = addDays(today, 30)
    const [states] = await db
      .select({
        inForce: sql<number>`coalesce(sum(n) filter (where state = ${IN_FORCE}), 0)::int`,
        waiting: sql<number>`coalesce(sum(n) filter (where state = ${WAITING}), 0)::int`,
      })
      .from(ossCounts)
      .where(eq(ossCounts.tenantId, tenantId))
    const [ends] = await db
      .select({ n: sql<number>`coalesce(sum(n), 0)::int` })
      .from(ossEnds)
      .where(and(eq(ossEnds.tenantId, tenantId), between(ossEnds.day, today, last)))
    const [sold] = await db
      .select({ n: sql<number>`coalesce(sum(n), 0)::int` })
      .from(ossFlows)
      .where(and(eq(ossFlows.tenantId, tenantId), inArray(ossFlows.kind, SALES), between(ossFlows.day, from, today)))
    const url = `/ossManage/deviceList?tenantId=${tenantId}`
    const ending = ends?.n ?? 0
    return {
      figures: [
        { label: '使用中通道', value: states?.inForce ?? 0, tone: 'good', url: `${url}&state=${IN_FORCE}` },
        { label: '待生效套餐', value: states?.waiting ?? 0, url: `${url}&state=${WAITING}` },
        { label: '近 30 天开通', value: sold?.n ?? 0, url: `${url}&flow=9&flowBegin=${from}&flowEnd=${today}` },
        {
          label: '30 天内云存到期',
          value: ending,
          ...(ending > 0 ? { tone: 'warn' as const } : {}),
          url: `${url}&queueEndBegin=${today}&queueEndEnd=${last}`,
        },
      ],
      bars: [],
      rows: [],
      url,
    }
  },
}

export type BlockData = Omit<z.input<typeof OverviewBlock>, 'key' | 'title'>

/** A block of a tenant's page: its permission and its content. */
export interface OverviewBlockSource {
  readonly title: string
  may(user: User): boolean
  load(ctx: Ctx, tenantId: number): Promise<BlockData>
}

const BLOCKS: Readonly<Record<OverviewBlockKey, OverviewBlockSource>> = {
  devices: devicesBlock,
  licenses: licensesBlock,
  storage: storageBlock,
  voice: voiceBlock,
  tickets: ticketsBlock,
  staff: staffBlock,
  logins: loginsBlock,
  applications: applicationsBlock,
  appAccounts: appAccountsBlock,
}

export async function getTenantOverview(ctx: Ctx, { id }: ParsedOf<typeof tenant.overview>) {
  const found = await readTenant(ctx, id)
  return {
    tenant: found,
    blocks: OVERVIEW_BLOCKS.flatMap((key) => {
      const block = BLOCKS[key]
      return block.may(ctx.user) ? [{ key, title: block.title }] : []
    }),
  }
}

export async function getOverviewBlock(ctx: Ctx, { id, block: key }: ParsedOf<typeof tenant.overviewBlock>) {
  const block = BLOCKS[key]
  if (!block.may(ctx.user)) throw forbidden()
  await assertTenantVisible(ctx, id)
  return { key, title: block.title, ...(await block.load(ctx, id)) }
}
