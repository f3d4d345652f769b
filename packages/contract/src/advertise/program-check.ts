import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, dateTime, id, ids, optional, textLine, whole } from '../core/fields.ts'
import { createPageSchema, pageQuery } from '../core/page.ts'
import { addProgramChecks, ProgramDraftInput } from './program-input.ts'
import { DELIVERY_STATE } from './screen.ts'

const access = 'advertiseManage:ProgramList:query'
/** The edited content, or the content of a published version. */
const target = z.object({ id, verNo: optional(whole('版本', 0, 2_147_483_647)).meta({ title: '版本' }) })
const counted = z.object({ id: z.int(), name: z.string(), count: z.int() })
const stateCount = z.object({ state: z.int().meta({ labels: DELIVERY_STATE }), count: z.int() })

export const ProgramConflict = z.object({
  code: z.string(),
  text: z.string(),
  /** Screens that the conflict concerns. */
  screens: z.int(),
  adId: z.int().nullable(),
})
export const ConflictResult = z.object({
  screens: z.int(),
  /** Number of different combinations of programs on these screens. */
  sets: z.int(),
  /** First and last checked date. */
  from: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  to: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  /** Conflicts that block publishing. */
  errors: z.array(ProgramConflict),
  warnings: z.array(ProgramConflict),
})

export const ProgramDryRun = z.object({
  /** False for a program without targets that is not a default program. */
  hasTargets: z.boolean(),
  screens: z.int(),
  needsApproval: z.boolean(),
  /** False when the program needs an approval and no other account may approve it. */
  hasApprover: z.boolean(),
  insertMode: z.int(),
  tenants: z.array(counted),
  models: z.array(counted),
  states: z.array(stateCount),
  /** Bytes that all screens download together. */
  totalBytes: z.int(),
  /** Bytes that one screen downloads at most. */
  maxBytes: z.int(),
  /** Screens that need no download. */
  readyScreens: z.int(),
  /** Bytes per second of the server for media; 0: not limited. */
  bandwidth: z.int(),
  /** Hours of download in a day. */
  windowHours: z.number(),
  /** Hours until the first and the last screen are ready; null without a limit of the bandwidth. */
  firstHours: z.number().nullable(),
  lastHours: z.number().nullable(),
  /** Planned plays of all screens on the first day; today counts from now on. */
  firstDayPlays: z.int(),
  /** True when the first day is today, so that only the rest of the day is counted. */
  isRestOfToday: z.boolean(),
  sample: z.array(
    z.object({
      deviceId: z.int(),
      sn: z.string(),
      tenantName: z.string(),
      modelName: z.string(),
      state: z.int().meta({ labels: DELIVERY_STATE }),
      bytes: z.int(),
    }),
  ),
})

const Because = z.object({
  programId: z.int(),
  name: z.string(),
  status: z.enum(['playing', 'inLoop', 'blocked']),
  text: z.string(),
})
export const Agenda = z.object({
  deviceId: z.int(),
  sn: z.string(),
  zone: z.string(),
  /** True when the zone of the screen is that of the console. */
  isConsoleZone: z.boolean(),
  /** Instants in milliseconds. */
  now: z.int(),
  at: z.int(),
  from: z.int(),
  to: z.int(),
  /** Planned slot; the names are empty while nothing plays. */
  planned: z.object({
    programId: z.int(),
    programName: z.string(),
    adId: z.int(),
    adName: z.string(),
    start: z.int(),
    ms: z.int(),
    rule: z.string(),
    hold: z.boolean(),
  }),
  /** Content that the screen reported last. */
  reported: z
    .object({
      programId: z.int(),
      programName: z.string(),
      adId: z.int(),
      adName: z.string(),
      since: z.int(),
      reportTime: z.string(),
    })
    .nullable(),
  online: z.int().meta({ title: '在线状态' }),
  /** Time of the last status report of the screen; null without a report. */
  lastReportTime: z.string().nullable().meta({ title: '最近上报' }),
  /** True when a recent report differs from the plan for the moment of the report. */
  differs: z.boolean(),
  because: z.array(Because),
  segments: z.array(
    z.object({
      start: z.int(),
      end: z.int(),
      rule: z.string(),
      programs: z.array(z.object({ id: z.int(), name: z.string(), ms: z.int() })),
    }),
  ),
})

export const DeliveryRow = z.object({
  id: z.int(),
  sn: z.string().meta({ title: '序列号' }),
  devName: z.string().meta({ title: '设备名称' }),
  tenantName: z.string().meta({ title: '客户' }),
  modelName: z.string().meta({ title: '设备型号' }),
  state: z.int().meta({ title: '下发状态', labels: DELIVERY_STATE }),
  readyFiles: z.int().meta({ title: '已就绪文件' }),
  totalFiles: z.int().meta({ title: '文件总数' }),
  reason: z.string().meta({ title: '失败原因' }),
  lastReportTime: z.string().nullable().meta({ title: '最近上报' }),
})

/** Checks of a program before and after publishing. */
export const programChecks = {
  conflict: {
    method: 'GET',
    path: '/api/v1/advertise/program/conflict',
    access,
    perMinute: 60,
    input: target,
    result: ConflictResult,
  },
  dryRun: {
    method: 'GET',
    path: '/api/v1/advertise/program/dryRun',
    access,
    perMinute: 60,
    input: target,
    result: ProgramDryRun,
  },
  /** Like `conflict`, for content that is not saved. Stores nothing. */
  draftConflict: {
    method: 'POST',
    path: '/api/v1/advertise/program/conflict',
    access,
    body: 'json',
    log: false,
    perMinute: 60,
    input: addProgramChecks(ProgramDraftInput),
    result: ConflictResult,
  },
  /** Like `dryRun`, for content that is not saved. Stores nothing. */
  draftDryRun: {
    method: 'POST',
    path: '/api/v1/advertise/program/dryRun',
    access,
    body: 'json',
    log: false,
    perMinute: 60,
    input: addProgramChecks(ProgramDraftInput),
    result: ProgramDryRun,
  },
  /** Returns what a screen plays now or later, and why each of its programs plays or not. */
  agenda: {
    method: 'GET',
    path: '/api/v1/advertise/program/agenda',
    access,
    input: z.object({
      sn: textLine('序列号', 64),
      /** Time in the time zone of the screen, by default the current time. A past time is refused. */
      time: optional(dateTime('时间')),
      hours: whole('小时数', 1, 48).default(24).meta({ title: '小时数' }),
    }),
    result: Agenda,
  },
  /** Counts, for each program in force, its screens and its screens that have the version with all files (`ready`). */
  deliveryCounts: {
    method: 'GET',
    path: '/api/v1/advertise/program/deliveryCount',
    access,
    input: z.object({ ids: ids(200).meta({ title: '节目单' }) }),
    result: z.object({ list: z.array(z.object({ id: z.int(), screens: z.int(), ready: z.int() })) }),
  },
  delivery: {
    method: 'GET',
    path: '/api/v1/advertise/program/delivery/:id',
    access,
    input: pageQuery.extend({ id, state: optional(choice('下发状态', DELIVERY_STATE)) }),
    result: createPageSchema(DeliveryRow).extend({
      states: z.array(stateCount),
      /** Reasons of failures with the number of screens. */
      failures: z.array(z.object({ reason: z.string(), count: z.int() })),
    }),
  },
} as const satisfies Contract
