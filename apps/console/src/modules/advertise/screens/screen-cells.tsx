import {
  DELIVERY_STATE,
  formatPlayerFailure,
  PLAYER_KIND,
  ScreenRow,
  SMIL_PLAYER,
  WEB_PLAYER,
} from '@oms/contract/advertise/screen.ts'
import { Tooltip } from 'antd'
import type { ReactNode } from 'react'
import { formatBytes } from '#core/text/format.ts'
import { createDescriptions } from '#kit/record/descriptions.tsx'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { time } from '#kit/record/time.tsx'
import { State } from '#kit/record/state.tsx'
import { TenantLink } from '#kit/record/record-links.tsx'

const STATE_COLOR: Readonly<Record<number, string>> = {
  0: 'default',
  1: 'processing',
  2: 'success',
  3: 'error',
  4: 'default',
  5: 'processing',
}
/** Difference of a screen's clock above which a warning is shown. */
const OFFSET_MS = 1000

type Cell = { readonly row: ScreenRow }

const WAITING = 0

/**
 * Returns the number of ready files and of all files. Empty while a screen has not fetched the new content, because the
 * screen then reports files of the old content.
 */
export const formatReadyFiles = (
  state: number,
  { readyFiles, totalFiles }: Pick<ScreenRow, 'readyFiles' | 'totalFiles'>,
) => (state !== WAITING && totalFiles > 0 ? `${readyFiles}/${totalFiles}` : '')

/** Explanations of delivery states whose label is not enough. */
export const STATE_HINT: Readonly<Record<number, string>> = {
  5: '第三方播放器不上报文件：已获取最新播放清单；清单中的文件全部被播放器取走、确认或播放过后，显示为已就绪',
}

/** Delivery state with the ready files: `下载中 3/12`. */
export const DeliveryState = ({ row: { deliveryState, ...files } }: Cell) => (
  <span className="kit-row">
    <StateTag state={deliveryState} />
    {formatReadyFiles(deliveryState, files)}
  </span>
)

/** Tag of a delivery state, with its explanation in a tooltip. */
export const StateTag = ({ state }: { readonly state: number }) => (
  <HintTag color={STATE_COLOR[state] ?? 'default'} hint={STATE_HINT[state]}>
    {DELIVERY_STATE[state as 0]}
  </HintTag>
)

/** Tag with advice in a tooltip that also opens on focus and touch. */
function HintTag({ color, hint, children }: { color: string; hint: string | undefined; children: ReactNode }) {
  if (hint === undefined) return <State color={color}>{children}</State>
  return (
    <Tooltip title={hint} trigger={['hover', 'focus', 'click']}>
      <State color={color} tabIndex={0} className="kit-help">
        {children}
      </State>
    </Tooltip>
  )
}

/** True for a SMIL player whose URL became invalid when the device moved to another tenant. */
const lacksAddress = ({ playerKind, hasSmilAddress }: ScreenRow) => playerKind === SMIL_PLAYER && hasSmilAddress === 0
const SMIL_NOTE = '插播在下次刷新后生效；视频不能从中间开始；时钟由播放器自行校准'

interface Note {
  readonly color: 'warning' | 'error'
  readonly text: string
  readonly advice: string
}

const BROWSER_MUTED: Note = {
  color: 'warning',
  text: '浏览器已静音',
  advice: '浏览器不允许自动播放声音，视频无声播放：请在浏览器的网站设置中允许声音，或在屏幕上点一下播放页面',
}
const PLAYER_MUTED: Note = {
  color: 'warning',
  text: '播放器已静音',
  advice: '播放器上报无法播放声音，视频无声播放：请检查播放设备的音量和音频输出',
}

/** Returns the warnings of a screen with advice. */
function listNotes(row: ScreenRow): Note[] {
  const { clockOffsetMs, offlineReady, muted, covered, smilReplaced, leftPrograms } = row
  const isClockOff = clockOffsetMs !== null && Math.abs(clockOffsetMs) >= OFFSET_MS
  const notes: (Note | false)[] = [
    isClockOff && {
      color: 'warning',
      text: `时钟偏差 ${secondsText(clockOffsetMs)}`,
      advice: '播放器按服务器时间校正，请为设备启用自动校时',
    },
    muted === 1 && (row.playerKind === WEB_PLAYER ? BROWSER_MUTED : PLAYER_MUTED),
    covered === 1 && {
      color: 'warning',
      text: '页面被遮挡',
      advice: '播放页面在后台或被其他窗口遮住，广告不能完整播放：请关闭遮挡的窗口，全屏显示播放页面',
    },
    offlineReady === 0 && { color: 'warning', text: '未启用HTTPS', advice: '未启用HTTPS，断网重启后无法播放' },
    smilReplaced === 1 && {
      color: 'error',
      text: '播放器已更换',
      advice: '另一台播放器在使用该地址：如非本人更换，请更换第三方播放器地址',
    },
    lacksAddress(row) && {
      color: 'error',
      text: '地址已失效',
      advice: '设备已转移到其他客户，原地址失效，请更换第三方播放器地址并填入播放器',
    },
    leftPrograms > 0 && {
      color: 'error',
      text: `${leftPrograms} 个节目单超出容量`,
      advice: '一块屏幕最多 50 个节目单、500 个文件、8 GB：请减少投放到该屏幕的节目单或换用较小的素材',
    },
  ]
  return notes.filter((note) => note !== false)
}

/** Shows the warnings of a screen. */
export function ScreenNotes({ row }: Cell) {
  const notes = listNotes(row)
  if (notes.length === 0) return '-'
  return (
    <span className="kit-row">
      {notes.map(({ color, text, advice }) => (
        <HintTag key={text} color={color} hint={advice}>
          {text}
        </HintTag>
      ))}
    </span>
  )
}

/** Lists the warnings of a screen with advice. Used above the details of a screen. */
export function NotesWithAdvice({ row }: Cell) {
  const notes = listNotes(row)
  if (notes.length === 0) return null
  return (
    <ul className="kit-plain kit-stack kit-note">
      {notes.map(({ color, text, advice }) => (
        <li key={text}>
          <State color={color}>{text}</State> {advice}
        </li>
      ))}
    </ul>
  )
}

const secondsText = (ms: number) => `${(Math.abs(ms) / 1000).toFixed(1)} 秒`

/**
 * Returns width and height; 未填写 for a SMIL player without an entered size, empty while another player has not reported.
 */
export const formatScreenSize = ({ width, height, playerKind }: ScreenRow) =>
  width > 0 && height > 0 ? `${width}×${height}` : playerKind === SMIL_PLAYER ? '未填写' : ''
export const formatPlayer = ({ playerKind, playerVersion }: ScreenRow) =>
  [PLAYER_KIND[playerKind as 1], playerVersion].filter(Boolean).join(' ')
export const formatPlaying = ({ adName, programName }: ScreenRow) =>
  adName === '' ? '-' : programName === '' ? adName : `${adName}（${programName}）`

/** Shows the ad that a screen reported as playing, and the time of the report. An outdated report is dimmed. */
export function PlayingCell({ row }: Cell) {
  const { adName, playingTime, playingStale } = row
  if (adName === '' || playingTime === null) return formatPlaying(row)
  const isStale = playingStale === 1
  return (
    <span className={isStale ? 'kit-cell kit-muted' : 'kit-cell'}>
      <Ellipsis text={formatPlaying(row)} />
      <small title={isStale ? '此后没有新的上报，播放内容可能已变化' : playingTime}>
        {playingTime.slice(isStale ? 'yyyy-'.length : 'yyyy-MM-dd '.length, 'yyyy-MM-dd HH:mm'.length)} 上报
      </small>
    </span>
  )
}

const { item, wide } = createDescriptions(ScreenRow)
export const SCREEN_ITEMS = [
  item('sn'),
  item('online'),
  item('playerKind', (_, row) => formatPlayer(row)),
  item('deliveryState', (_, row) => <DeliveryState row={row} />),
  item('adName', (_, row) => <PlayingCell row={row} />),
  item('width', (_, row) =>
    row.playerKind === SMIL_PLAYER && row.width === 0 ? '未填写，按 1920×1080 选择素材' : formatScreenSize(row),
  ),
  item('clockOffsetMs', (ms) => (ms === null ? '' : secondsText(ms))),
  item('freeBytes', (bytes) => (bytes === null ? '' : formatBytes(bytes))),
  item('offlineReady', (ready) => (ready === 1 ? '可用' : '未启用HTTPS，断网重启后无法播放')),
  item('timeZone', (zone) => zone || '与管理端一致'),
  item('audienceFactor'),
  item('volume', (volume) => `${volume}%`),
  item('lastReportTime', time),
  item('createTime', time),
  item('tenantName', (name, { tenantId }) => <TenantLink id={tenantId} name={name} />),
  item('modelName'),
  wide('failed', (failed) =>
    failed.length === 0 ? (
      ''
    ) : (
      <ul className="kit-plain kit-words">
        {failed.map(({ sha256, reason, adName }) => (
          <li key={sha256}>
            {adName ? `《${adName}》` : `文件 ${sha256.slice(0, 12)}…`} {formatPlayerFailure(reason)}
          </li>
        ))}
      </ul>
    ),
  ),
  wide('smilReplaced', (_, row) => (row.playerKind === SMIL_PLAYER ? SMIL_NOTE : '')),
]
