import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { asDecimal, choice, id, note, optional, reference, rev, search, whole } from '../core/fields.ts'
import { normalizeCode, normalizeLine } from '../core/normalize-line.ts'
import { declareOptions } from '../core/options.ts'
import { createPageSchema, sortedPage } from '../core/page.ts'
import { ONLINE } from '../device/device-fields.ts'

export const PLAYER_KIND = { 1: '网页播放器', 2: '原生播放器', 3: 'SMIL播放器' } as const
/** 5: a SMIL player has the current index, but OMS does not know that the player has every file of the index. */
export const DELIVERY_STATE = { 0: '待获取', 1: '下载中', 2: '已就绪', 3: '失败', 4: '离线', 5: '已获取清单' } as const
/** `PLAYER_KIND` of the player of this product in a browser. */
export const WEB_PLAYER = 1
/** `PLAYER_KIND` of a SMIL player, which reports neither its size nor its files. */
export const SMIL_PLAYER = 3
const MAX_PIXELS = 32_767
/** Maximum screens whose delivery state one list request computes. */
export const MAX_STATES = 50_000
/** IANA names of time zones. An empty text stands for the zone of the console. */
const TIME_ZONE = /^(|[A-Za-z]+(\/[A-Za-z0-9_+-]+){0,2})$/

const deviceId = reference('设备')
export const ScreenInput = z.object({
  timeZone: note('时区', 40).refine(
    (zone) => TIME_ZONE.test(zone) && isZone(zone),
    '请输入正确的时区，如 Asia/Shanghai',
  ),
  audienceFactor: asDecimal(
    z
      .number('请输入受众系数')
      .min(0, '受众系数应为0～1000')
      .max(1000, '受众系数应为0～1000')
      .refine((value) => Math.round(value * 100) === Math.round(value * 1e6) / 1e4, '受众系数最多两位小数'),
  ).meta({ title: '受众系数' }),
  volume: whole('音量', 0, 100),
  /**
   * Pixels, only for a SMIL player; other players report their size. 0: unknown, so the player gets files for 1920×1080.
   * An absent field keeps the stored value.
   */
  width: whole('屏幕宽度', 0, MAX_PIXELS).optional().meta({ title: '屏幕宽度' }),
  height: whole('屏幕高度', 0, MAX_PIXELS).optional().meta({ title: '屏幕高度' }),
})

/** Returns the error text of a size with only one known side; undefined for a valid size. */
export const findSizeProblem = ({ width, height }: { width: number; height: number }): string | undefined =>
  width > 0 === height > 0 ? undefined : '请同时填写屏幕宽度和屏幕高度'

function isZone(zone: string) {
  if (zone === '') return true
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

export const PairInput = z.object({
  code: z
    .preprocess(
      (code) => (typeof code === 'string' ? normalizeCode(code).toUpperCase() : code),
      z.string('请输入配对码').regex(/^[2-9A-HJKMNP-Z]{6}$/, '配对码不正确或已过期'),
    )
    .meta({ title: '配对码', max: 6 }),
  deviceId,
})

/** Reasons that the web player sends for a failed file. */
const FAILURES: ReadonlyMap<string, string> = new Map([
  ['hash', '文件校验不一致'],
  ['quota', '存储空间不足'],
  ['quota earlier', '存储空间不足，新版本未播放，上一版本继续播放，请清理设备存储或换用较小的素材'],
  ['play', '文件无法播放'],
])

/** Returns the reason of a failed file in words. Reasons of other players are returned as they were sent. */
export function formatPlayerFailure(reason: string): string {
  if (reason === '') return '未知原因'
  return FAILURES.get(reason) ?? reason.replace(/^HTTP \d{3}$/, '服务器拒绝下载（$&）')
}

export const ScreenRow = z.object({
  /** Id of the device. */
  id: z.int(),
  sn: z.string().meta({ title: '序列号' }),
  devName: z.string().meta({ title: '设备名称' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  modelName: z.string().meta({ title: '设备型号' }),
  online: z.int().meta({ title: '在线状态', labels: ONLINE }),
  playerKind: z.int().meta({ title: '播放器', labels: PLAYER_KIND }),
  playerVersion: z.string().meta({ title: '播放器版本' }),
  /** Pixels; 0: unknown. */
  width: z.int().meta({ title: '分辨率' }),
  height: z.int().meta({ title: '高度' }),
  /** Names of the program and the ad that play; empty when nothing plays. */
  programName: z.string().meta({ title: '节目单' }),
  adName: z.string().meta({ title: '正在播放' }),
  /** Time of the report that contained the program and the ad; null: no such report. */
  playingTime: z.string().nullable().meta({ title: '播放上报时间' }),
  /** 1: the screen is offline, or its next report of the playing ad is overdue. */
  playingStale: z.int().meta({ title: '播放内容可能已变化' }),
  deliveryState: z.int().meta({ title: '投放状态', labels: DELIVERY_STATE }),
  readyFiles: z.int().meta({ title: '就绪文件' }),
  totalFiles: z.int().meta({ title: '文件数' }),
  /** `adName` is the ad of the current manifest that needs the file; empty without one. */
  failed: z.array(z.object({ sha256: z.string(), reason: z.string(), adName: z.string() })).meta({ title: '失败文件' }),
  freeBytes: z.int().nullable().meta({ title: '剩余空间' }),
  /** Milliseconds; null: unknown. */
  clockOffsetMs: z.int().nullable().meta({ title: '时钟偏差' }),
  /** 0: the page was opened without HTTPS. */
  offlineReady: z.int().meta({ title: '断网可用' }),
  /** 1: the browser refuses to play sound. */
  muted: z.int().meta({ title: '浏览器静音' }),
  /** 1: the page of the player is covered or in the background. */
  covered: z.int().meta({ title: '页面被遮挡' }),
  /** 1: the address is used by another SMIL player than the first. */
  smilReplaced: z.int().meta({ title: '第三方播放器' }),
  /** 0: no address of a SMIL player is valid, because none was created or the device moved to another tenant. */
  hasSmilAddress: z.int().meta({ title: '第三方播放器地址' }),
  /** Programs that exceed the capacity of the screen. */
  leftPrograms: z.int().meta({ title: '超出容量的节目单' }),
  timeZone: z.string().meta({ title: '时区' }),
  audienceFactor: z.number().meta({ title: '受众系数' }),
  volume: z.int().meta({ title: '音量' }),
  lastReportTime: z.string().nullable().meta({ title: '上次上报' }),
  createTime: z.string().meta({ title: '绑定时间' }),
  rev: z.int(),
})
export type ScreenRow = z.output<typeof ScreenRow>

const filters = {
  sn: search('序列号'),
  tenantId: optional(id).meta({ title: '客户' }),
  playerKind: optional(choice('播放器', PLAYER_KIND)).meta({ title: '播放器', labels: PLAYER_KIND }),
  online: optional(choice('在线状态', ONLINE)).meta({ title: '在线状态', labels: ONLINE }),
  /** Computed for at most `MAX_STATES` screens that match the other filters; more are refused. */
  deliveryState: optional(choice('投放状态', DELIVERY_STATE)).meta({ title: '投放状态', labels: DELIVERY_STATE }),
}

/** Screens: devices with a player (hidden page `/advertiseManage/ProgramList/screens`). */
export const adScreens = {
  list: {
    method: 'GET',
    path: '/api/v1/advertise/screen/page',
    access: 'advertiseManage:ProgramList:query',
    input: sortedPage(['createTime', 'lastReportTime']).extend(filters),
    result: createPageSchema(ScreenRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/advertise/screen/:sn',
    access: 'advertiseManage:ProgramList:query',
    input: z.object({
      sn: z.string().overwrite(normalizeLine).min(1, '请输入序列号').max(64).meta({ title: '序列号' }),
    }),
    result: ScreenRow,
  },
  /** Devices that a screen can be paired with, by serial number. */
  devices: declareOptions('/api/v1/advertise/screen/devices', 'advertiseManage:ProgramList:screen', {
    row: { modelName: z.string() },
  }),
  update: {
    method: 'PUT',
    path: '/api/v1/advertise/screen',
    access: 'advertiseManage:ProgramList:screen',
    title: '编辑屏幕',
    input: ScreenInput.extend({ id, rev }),
    result: z.object({ rev: z.int() }),
    done: '已保存',
  },
  pair: {
    method: 'POST',
    path: '/api/v1/advertise/screen/pair',
    access: 'advertiseManage:ProgramList:screen',
    title: '配对屏幕',
    kind: 'add',
    input: PairInput,
    result: z.object({ id: z.int(), sn: z.string() }),
    done: '配对成功',
  },
  unpair: {
    method: 'POST',
    path: '/api/v1/advertise/screen/unpair/:id',
    access: 'advertiseManage:ProgramList:screen',
    title: '解除配对',
    kind: 'edit',
    input: z.object({ id }),
    result: z.null(),
    done: '已解除配对',
  },
  /** Creates or replaces the address for a SMIL player. The key is returned only in this response. */
  smilKey: {
    method: 'POST',
    path: '/api/v1/advertise/screen/smilKey/:id',
    access: 'advertiseManage:ProgramList:screen',
    title: '生成第三方播放器地址',
    kind: 'edit',
    input: z.object({ id }),
    result: z.object({ path: z.string() }),
    done: '已生成',
  },
} as const satisfies Contract
