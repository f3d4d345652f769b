import { feedback } from '@oms/contract/ticket/ticket.ts'
import { FEEDBACK_CLOSED, FEEDBACK_SUSPENDED, NO_PROBLEMS, SATISFACTION } from '@oms/contract/ticket/ticket-rows.ts'
import { and, asc, eq, inArray, isNull, ne, sql } from 'drizzle-orm'
import sharp from 'sharp'
import type { Actor } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { TICKET_RECORD_KIND } from '#modules/ticket/create-ticket.ts'
import { computeSla, readSlaSettings } from '#modules/ticket/sla.ts'
import { mergeTickets } from '#modules/ticket/ticket-batch.ts'
import { accounts } from '#core/schema/account.ts'
import { deviceModels, devices, deviceTypes } from '#modules/device/schema.ts'
import { systemVersion } from '#modules/device/device-facts.ts'
import { files } from '#core/schema/system.ts'
import { ticketFiles, ticketNumbers, ticketRecords, tickets, ticketTemplates } from '#modules/ticket/schema.ts'
import { DAY_MS, type Demo, runCall } from './call.ts'
import { storeFile } from './media.ts'
import { DEMO_ACCOUNT, createRandom } from './vendor.ts'

const HOUR_MS = 3_600_000
const COUNT = 62
/** Accounts that handle tickets: manager, lead, agent and the demo account. */
const DESK = [DEMO_ACCOUNT, 'zhou.yi', 'ma.tianyu', 'xu.jing'] as const
const IMAGE_KIND = 2

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

/** Creates two months of tickets in every state with their records. The rows are computed and inserted together. */
export async function seedDemoTickets(demo: Demo) {
  const { services, db, actor } = demo
  const { timeZone } = services.config
  const sla = await readSlaSettings(db)
  const [people, fleet] = [await deskOf(db), await fleetOf(db)]
  const roll = createRandom(20_260)
  const numbers = new Map<string, number>()
  const planned = Array.from({ length: COUNT }, (_, at) => {
    const plan = planOf(services, at, roll)
    const device = fleet[(at * 37 + roll(5)) % fleet.length]!
    const handler = people[plan.who % people.length]!
    const source = [1, 1, 3, 4][roll(4)]!
    const day = formatLocalDay(plan.at, timeZone)
    numbers.set(day, (numbers.get(day) ?? 0) + 1)
    const feedbackNo = `FB${day.replaceAll('-', '')}${String(numbers.get(day)).padStart(5, '0')}`
    const state = stateOf(plan, handler)
    const limits = computeSla(sla, timeZone, state.facts, services.now())
    const row = {
      ...device,
      ...reportOf(plan, at),
      ...state.columns,
      ...limits,
      source,
      feedbackNo,
      createBy: actor.user.uid,
    }
    return { at, plan, row, handler }
  })
  await db.insert(ticketNumbers).values([...numbers].map(([day, last]) => ({ day, last })))
  const made = await db
    .insert(tickets)
    .values(planned.map(({ row }) => row))
    .returning({ id: tickets.id, tenantId: tickets.tenantId })
  const records = planned.flatMap(({ plan, handler }, at) => recordsOf(made[at]!.id, plan, handler, actor))
  await db.insert(ticketRecords).values(records.toSorted((a, b) => (a.createTime < b.createTime ? -1 : 1)))
  await addPictures(
    demo,
    made.filter((_, at) => at % 6 === 1),
  )
  const merge = await twins(db)
  await runCall(demo, { name: 'merge', ...feedback.merge }, merge, mergeTickets)
  await db.insert(ticketTemplates).values(
    TEMPLATES.map(([title, content], sort) => ({
      title,
      content,
      sort,
      tenantId: PLATFORM_TENANT_ID,
      createBy: actor.user.uid,
    })),
  )
}

type Handler = Awaited<ReturnType<typeof deskOf>>[number]

const deskOf = (db: Db) =>
  db
    .select({ uid: accounts.uid, name: accounts.realname })
    .from(accounts)
    .where(and(eq(accounts.tenantId, PLATFORM_TENANT_ID), inArray(accounts.account, [...DESK])))
    .orderBy(asc(accounts.uid))

/** Returns the columns that a ticket copies from the first devices. */
const fleetOf = (db: Db) =>
  db
    .select({
      tenantId: devices.tenantId,
      deviceId: devices.id,
      sn: devices.sn,
      devName: devices.devName,
      modelId: devices.modelId,
      modelName: sql<string>`${deviceModels.modelName}`,
      typeName: sql<string>`${deviceTypes.typeName}`,
      verCode: devices.verCode,
      osVer: systemVersion,
      devCreateTime: devices.createTime,
    })
    .from(devices)
    .innerJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .innerJoin(deviceTypes, eq(deviceTypes.id, deviceModels.typeId))
    .where(isNull(devices.deletedAt))
    .orderBy(asc(devices.id))
    .limit(400)

type Plan = ReturnType<typeof planOf>

/** Returns the reported text and the facts of the ticket with number `at`. */
function reportOf({ report, priority, steps }: Plan, at: number) {
  const [problemType, content, hardware, software, structure] = REPORTS[report]!
  return {
    account: `user${1000 + at * 7}@example.com`,
    contact: `1380000${String(1000 + at * 13).slice(-4)}`,
    problemType,
    content,
    priority,
    problemAttr:
      steps.length === 0
        ? NO_PROBLEMS
        : { hardware: [...hardware], software: [...software], structure: [...structure] },
    tags: at % 5 === 0 ? ['重点客户'] : at % 7 === 0 ? ['返修'] : [],
  }
}

/** Returns the columns after the steps of a plan, and the facts that decide its time limits. */
function stateOf({ at, priority, steps }: Plan, handler: Handler) {
  const last = steps.at(-1)
  const status = last?.status ?? 0
  const closeTime = status === FEEDBACK_CLOSED ? last!.at : null
  const firstRespondTime = steps[0]?.at ?? null
  const assigned = last && !closeTime && { handlerId: handler.uid, handler: handler.name }
  return {
    facts: { status, priority, createTime: at, firstRespondTime, closeTime, pausedMinutes: 0, slaBreached: false },
    columns: {
      ...assigned,
      status,
      firstRespondTime: firstRespondTime?.toISOString() ?? null,
      closeTime: closeTime?.toISOString() ?? null,
      lastHandlerId: last ? handler.uid : null,
      reopenCount: steps.filter((step, index) => index > 0 && steps[index - 1]!.status === FEEDBACK_CLOSED).length,
      suspendTime: status === FEEDBACK_SUSPENDED ? last!.at.toISOString() : null,
      satisfaction: last?.stars ?? null,
      createTime: at.toISOString(),
      updateTime: (last?.at ?? at).toISOString(),
      updateBy: last ? handler.uid : null,
      rev: steps.length,
    },
  }
}

/** Returns the records of a ticket: its creation, one for each step, and the rating. */
function recordsOf(ticketId: number, { at, steps }: Plan, { uid, name }: Handler, { user }: Actor) {
  const created = { ticketId, kind: TICKET_RECORD_KIND.created, uid: user.uid, realname: user.realname, status: 0 }
  return [
    { ...created, createTime: at.toISOString() },
    ...steps.flatMap(({ status, remark, stars, at: time }, index) => {
      const isOpen = status !== FEEDBACK_CLOSED
      const assigned = isOpen ? { handlerId: uid, handler: name } : {}
      const step = { ticketId, uid, realname: name, status, createTime: time.toISOString() }
      const fromStatus = steps[index - 1]?.status ?? 0
      const handled = { ...step, ...assigned, kind: TICKET_RECORD_KIND.handled, fromStatus, remark }
      if (!stars) return [handled]
      const detail = `满意度：${SATISFACTION[stars]}（${stars}）`
      return [handled, { ...step, kind: TICKET_RECORD_KIND.rated, fromStatus: status, detail }]
    }),
  ]
}

interface Step {
  readonly status: 1 | 2 | 3 | 4 | 5
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
    return { status, at: new Date(when), remark: REMARKS[status], ...(stars && { stars }) }
  })
  return { at: new Date(began), who, report: roll(REPORTS.length), priority: [2, 2, 2, 3, 1, 4][roll(6)]!, steps }
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

interface Stored {
  readonly id: number
  readonly tenantId: number
}

/** Attaches one to three small pictures with coloured stripes, as from a broken sensor, to the tickets. */
async function addPictures({ services, db, actor }: Demo, made: readonly Stored[]) {
  const names = ['正面.png', '指示灯.png', '安装位置.png']
  const pictures = await Promise.all(
    made.flatMap(({ id, tenantId }, at) =>
      names.slice(0, 1 + (at % names.length)).map(async (name, sort) => {
        const file = { purpose: 'ticketImage', name, mime: 'image/png' } as const
        return {
          ticketId: id,
          sort,
          row: await storeFile(services, { uid: actor.user.uid, tenantId }, file, await stripes(sort)),
        }
      }),
    ),
  )
  await db.insert(files).values(pictures.map(({ row }) => row))
  await db.insert(ticketFiles).values(
    pictures.map(({ ticketId, sort, row: { id, name, size } }) => ({
      ticketId,
      fileId: id,
      kind: IMAGE_KIND,
      name,
      size,
      sort,
    })),
  )
}

/** Returns a PNG of 320 × 200 pixels. */
function stripes(tone: number) {
  const [width, height, channels] = [320, 200, 3] as const
  const pixels = Buffer.alloc(width * height * channels)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      pixels.set(
        [(x + tone * 80) & 255, (y + (x >> 4) * 12) & 255, (120 + tone * 50 - (y >> 1)) & 255],
        (y * width + x) * channels,
      )
  return sharp(pixels, { raw: { width, height, channels } }).png().toBuffer()
}
