import { deflateSync, crc32 } from 'node:zlib'
import type { feedback } from '@oms/contract/ticket/ticket.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, inArray, isNull, ne } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { devices } from '#modules/device/schema.ts'
import { tickets, ticketTemplates } from '#modules/ticket/schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { insertFileRow } from '#core/storage/save-upload.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { insertTicket } from '#modules/ticket/create-ticket.ts'
import { computeSla, readSlaSettings } from '#modules/ticket/sla.ts'
import { rebuildFleetCounts } from '#modules/device/fleet/fleet-counts.ts'
import { rollUpTicketFacts } from '#modules/ticket/model-statistics.ts'
import { mergeTickets, rateTicket } from '#modules/ticket/ticket-batch.ts'
import { toSlaFacts } from '#modules/ticket/ticket-change.ts'
import { handleTicket } from '#modules/ticket/ticket-detail.ts'
import { type Actor, createPlatformUser } from '#core/auth/system-actor.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { DEMO_ACCOUNT, createRandom } from './vendor.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const COUNT = 62
/** Accounts that handle tickets: manager, lead, agent and the demo account. */
const DESK = [DEMO_ACCOUNT, 'zhou.yi', 'ma.tianyu', 'xu.jing'] as const

/** Problem type, reported text, and the diagnosis: hardware, software and structure options. */
const REPORTS = [
  [1, '设备无法开机，指示灯不亮，更换适配器后仍无反应', ['1'], [], []],
  [1, '夜间红外灯板只亮一半，画面左侧发黑', ['9'], [], []],
  [1, 'TF 卡频繁掉卡，录像回放有缺口', ['8'], [], []],
  [1, '喇叭有电流声，对讲时对方听不清', ['4'], [], []],
  [1, '连接路由器后每隔十分钟掉线一次，信号满格', ['6'], ['4'], []],
  [1, '户外安装三个月后镜头内侧起雾', [], [], ['1', '5']],
  [1, '画面出现竖条纹，重启后短暂恢复', ['7'], [], []],
  [1, '设备运行半小时后外壳很烫并自动重启', ['2'], [], ['4']],
  [2, '升级后移动侦测误报明显增多，刮风也会推送', [], ['4'], []],
  [2, 'App 打开预览要等十几秒才出画面', [], ['3'], []],
  [2, '云台转到最左侧后不能回位，需要断电', ['2'], ['4'], []],
  [2, '定时任务在周日不执行', [], ['4'], []],
  [2, '夏令时地区录像时间差一小时', [], ['4'], []],
  [2, '语音提示音量调到最小仍然很大', ['4'], ['2'], []],
  [3, '希望支持按人形和车辆分别设置推送时段', [], ['1'], []],
  [3, '支架螺丝孔位不通用，希望附带转接板', [], [], ['3']],
  [3, '希望 App 首页可以自定义设备排序', [], ['2'], []],
  [3, '包装内缺少防水胶圈说明，安装师傅容易漏装', [], [], ['2', '3']],
] as const

const TEMPLATES = [
  ['请补充信息', '您好，请补充设备序列号、故障发生的时间和现场照片，便于我们定位问题。'],
  ['建议重启', '请断电 10 秒后重新上电，确认指示灯状态后再试一次，并告知结果。'],
  ['寄回检修', '请将设备连同电源寄回维修中心，收到后 3 个工作日内检测并回复。'],
  ['等待固件', '该问题已定位，将在下一版固件中修复，发布后会推送升级并通知您。'],
  ['确认解决', '问题已处理，请确认设备恢复正常。如无回复，工单将在 3 天后关闭。'],
] as const

/** Creates two months of tickets in every state with their records. */
export async function createDemoTickets(services: Services, db: Db, demo: Actor) {
  const people = await db
    .select({ uid: accounts.uid, account: accounts.account, realname: accounts.realname })
    .from(accounts)
    .where(and(eq(accounts.tenantId, PLATFORM_TENANT_ID), inArray(accounts.account, [...DESK])))
    .orderBy(asc(accounts.uid))
  const fleet = await db
    .select({ id: devices.id, tenantId: devices.tenantId })
    .from(devices)
    .where(isNull(devices.deletedAt))
    .orderBy(asc(devices.id))
    .limit(400)
  const pictures = await picturesOf(services, demo)
  const roll = createRandom(20_260)
  for (let at = 0; at < COUNT; at++) {
    const plan = planOf(services, at, roll)
    const device = fleet.length > 0 ? fleet[(at * 37 + roll(5)) % fleet.length] : undefined
    const id = await addTicket(services, db, demo, { at, plan, device, pictures, roll })
    await applySteps(services, db, demo, { id, plan, people })
  }
  await mergeTickets(contextOf(services, db, demo, services.now()), await twins(db))
  await closeOldTickets(services, db)
  await db.insert(ticketTemplates).values(
    TEMPLATES.map(([title, content], sort) => ({
      title,
      content,
      sort,
      tenantId: PLATFORM_TENANT_ID,
      createBy: demo.user.uid,
    })),
  )
  await rebuildFleetCounts({ database: { ...services.database, db } } as Services)
  await rollUpTicketFacts({ database: { ...services.database, db } } as Services)
}

type Plan = ReturnType<typeof planOf>

interface NewTicket {
  readonly at: number
  readonly plan: Plan
  readonly device: { id: number; tenantId: number } | undefined
  readonly pictures: string[]
  readonly roll: (below: number) => number
}

/** Creates the ticket with number `at` and returns its id. */
async function addTicket(services: Services, db: Db, demo: Actor, { at, plan, device, pictures, roll }: NewTicket) {
  const [problemType, content] = REPORTS[plan.report]!
  const { id } = await insertTicket(services, db, plan.at, {
    tenantId: device?.tenantId ?? PLATFORM_TENANT_ID,
    deviceId: device?.id,
    account: `user${1000 + at * 7}@example.com`,
    contact: `1380000${String(1000 + at * 13).slice(-4)}`,
    problemType,
    content,
    priority: plan.priority,
    source: [1, 1, 3, 4][roll(4)]!,
    tags: at % 5 === 0 ? ['重点客户'] : at % 7 === 0 ? ['返修'] : [],
    attachments: [],
    images: at % 6 === 1 ? pictures.slice(0, 1 + roll(pictures.length)) : [],
    by: { uid: demo.user.uid, name: demo.user.realname },
  })
  return id
}

interface Processing {
  readonly id: number
  readonly plan: Plan
  readonly people: readonly { uid: number; account: string; realname: string }[]
}

/** Processes a ticket by the steps of its plan. */
async function applySteps(services: Services, db: Db, demo: Actor, { id, plan, people }: Processing) {
  const [, , hardware, software, structure] = REPORTS[plan.report]!
  const attr = { hardware: [...hardware], software: [...software], structure: [...structure] }
  for (const step of plan.steps) {
    const person = people[step.who % Math.max(1, people.length)] ?? { ...demo.user }
    const ctx = contextOf(services, db, { ...demo, user: createPlatformUser(person) }, step.at)
    const input = {
      feedbackId: id,
      status: step.status,
      handlerId: person.uid,
      remark: step.remark,
      problemAttr: attr,
    }
    // Only the handler may reassign a ticket, so the handler is cleared first.
    await db.update(tickets).set({ handlerId: null }).where(eq(tickets.id, id))
    await handleTicket(ctx, { ...input, suspendUntil: undefined } as ParsedOf<typeof feedback.dispose>)
    if (step.stars) await rateTicket(ctx, { id, satisfaction: step.stars, satisfactionRemark: '' })
  }
}

interface Step {
  readonly status: 1 | 2 | 3 | 4 | 5
  readonly who: number
  readonly at: Date
  readonly remark: string
  readonly stars?: 1 | 2 | 3 | 4 | 5
}
const REMARKS = {
  1: '已联系客户，正在核对日志。',
  2: '已定位原因，安排修改。',
  3: '修改完成，等待客户验证。',
  4: '等待客户寄回样机。',
  5: '客户确认恢复正常，关闭工单。',
} as const

/** Returns the creation time and final state of a ticket: old tickets are closed, the newest unassigned. */
function planOf(services: Pick<Services, 'now'>, at: number, roll: (below: number) => number) {
  const now = services.now().getTime()
  // Newer tickets are more frequent.
  const age = ((COUNT - at) / COUNT) ** 1.6 * 60 * DAY_MS - roll(20) * HOUR_MS
  const began = now - Math.max(age, 2 * HOUR_MS)
  const who = roll(7)
  const course: readonly (1 | 2 | 3 | 4 | 5)[] =
    at >= COUNT - 6
      ? []
      : at >= COUNT - 18 && at % 3 === 0
        ? ([[1], [1, 2], [1, 2, 3], [1, 4]] as const)[at % 4]!
        : at % 11 === 0
          ? [1, 2, 5, 1, 5]
          : [1, 2, 3, 5]
  const last = began + Math.min(age, (1 + roll(5)) * DAY_MS)
  const steps = course.map((status, step): Step => {
    const when = Math.min(
      now - 60_000 * (course.length - step),
      began + (last - began) * ((step + 0.4) / course.length),
    )
    const stars =
      status === 5 && step === course.length - 1 && at % 3 === 0 ? ([5, 4, 5, 3, 2] as const)[roll(5)]! : undefined
    return { status, who, at: new Date(when), remark: REMARKS[status], ...(stars && { stars }) }
  })
  return { at: new Date(began), report: roll(REPORTS.length), priority: [2, 2, 2, 3, 1, 4][roll(6)]!, steps }
}

/** Creates two new duplicate tickets of one tenant. */
async function twins(db: Db) {
  const open = await db
    .select({ id: tickets.id, tenantId: tickets.tenantId })
    .from(tickets)
    .where(ne(tickets.status, 5))
    .orderBy(asc(tickets.id))
  const first = open.find((one, at) => open.slice(at + 1).some(({ tenantId }) => tenantId === one.tenantId)) ?? open[0]!
  const second = open.find(({ id, tenantId }) => id !== first.id && tenantId === first.tenantId) ?? open[1]!
  return { ids: [second.id], intoId: first.id }
}

/** Sets the SLA state of open tickets without sending messages. */
async function closeOldTickets(services: Services, db: Db) {
  const sla = await readSlaSettings(db)
  const zone = services.config.timeZone
  const open = await db.select().from(tickets).where(ne(tickets.status, 5))
  for (const ticket of open)
    await db
      .update(tickets)
      .set(computeSla(sla, zone, toSlaFacts(ticket, zone), services.now()))
      .where(eq(tickets.id, ticket.id))
}

const contextOf = (services: Services, db: Db, actor: Actor, now: Date): Ctx => ({
  db,
  user: actor.user,
  now,
  request: { id: 'demo', method: 'POST', url: '/', header: () => undefined, ...actor.facts },
  services,
  incoming: null,
  audit: () => {},
  afterCommit: () => {},
  say: () => {},
  recordIn: async () => {},
  setSessionCookie: () => {},
})

/** Uploads three small pictures with coloured stripes, as from a broken sensor. */
async function picturesOf(services: Services, demo: Actor) {
  const ids: string[] = []
  for (const [at, name] of ['正面.png', '指示灯.png', '安装位置.png'].entries()) {
    const stored = await putBytes(services.files, stripes(at))
    const ctx = contextOf(services, services.database.db, demo, services.now())
    ids.push((await insertFileRow(ctx, { purpose: 'ticketImage', name, stored })).id)
  }
  return ids
}

/** Returns a PNG of 320 × 200 pixels. */
function stripes(tone: number) {
  const [width, height] = [320, 200]
  const raw = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * (1 + width * 3) + 1 + x * 3
      raw[at] = (x + tone * 80) & 255
      raw[at + 1] = (y + (x >> 4) * 12) & 255
      raw[at + 2] = (120 + tone * 50 - (y >> 1)) & 255
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(raw)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(8 + body.length)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), 4 + body.length)
  return framed
}
