import { DELIVERY_STATE, formatPlayerFailure, PLAYER_KIND, ScreenRow } from '@oms/contract/advertise/screen.ts'
import { Tag } from 'antd'
import { formatBytes } from '#core/text/format.ts'
import { createDescriptions } from '#kit/record/descriptions.tsx'
import { time } from '#kit/record/time.tsx'
import './screen.css'

const STATE_COLOR: Readonly<Record<number, string>> = {
  0: 'default',
  1: 'processing',
  2: 'success',
  3: 'error',
  4: 'default',
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

/** Delivery state with the ready files: `下载中 3/12`. */
export const DeliveryState = ({ row: { deliveryState, ...files } }: Cell) => (
  <span className="ad-screen-cell">
    <Tag color={STATE_COLOR[deliveryState] ?? 'default'}>{DELIVERY_STATE[deliveryState as 0]}</Tag>
    {formatReadyFiles(deliveryState, files)}
  </span>
)

const SMIL = 3
/** True for a SMIL player whose URL became invalid when the device moved to another tenant. */
const lacksAddress = ({ playerKind, hasSmilAddress }: ScreenRow) => playerKind === SMIL && hasSmilAddress === 0
const LOST_ADDRESS = '设备已转移到其他客户，原地址失效，请更换第三方播放器地址并填入播放器'
const SMIL_NOTE = '插播在下次刷新后生效；视频不能从中间开始；时钟由播放器自行校准'

/** Shows the warnings of a screen. */
export function ScreenNotes({ row }: Cell) {
  const { clockOffsetMs, offlineReady, smilReplaced, leftPrograms } = row
  const isClockOff = clockOffsetMs !== null && Math.abs(clockOffsetMs) >= OFFSET_MS
  const isLost = lacksAddress(row)
  if (!isClockOff && offlineReady !== 0 && smilReplaced !== 1 && leftPrograms === 0 && !isLost) return '-'
  return (
    <span className="ad-screen-cell">
      {isClockOff && <Tag color="warning">时钟偏差 {secondsText(clockOffsetMs)}</Tag>}
      {offlineReady === 0 && (
        <Tag color="warning" title="未启用HTTPS，断网重启后无法播放">
          未启用HTTPS
        </Tag>
      )}
      {smilReplaced === 1 && <Tag color="error">播放器已更换</Tag>}
      {isLost && (
        <Tag color="error" title={LOST_ADDRESS}>
          地址已失效
        </Tag>
      )}
      {leftPrograms > 0 && <Tag color="error">{leftPrograms} 个节目单超出容量</Tag>}
    </span>
  )
}

const secondsText = (ms: number) => `${(Math.abs(ms) / 1000).toFixed(1)} 秒`

export const formatScreenSize = ({ width, height }: ScreenRow) => (width > 0 && height > 0 ? `${width}×${height}` : '')
export const formatPlayer = ({ playerKind, playerVersion }: ScreenRow) =>
  [PLAYER_KIND[playerKind as 1], playerVersion].filter(Boolean).join(' ')
export const formatPlaying = ({ adName, programName }: ScreenRow) =>
  adName === '' ? '-' : programName === '' ? adName : `${adName}（${programName}）`

const { item, wide } = createDescriptions(ScreenRow)
export const SCREEN_ITEMS = [
  item('sn'),
  item('online'),
  item('playerKind', (_, row) => formatPlayer(row)),
  item('deliveryState', (_, row) => <DeliveryState row={row} />),
  item('adName', (_, row) => formatPlaying(row)),
  item('width', (_, row) => formatScreenSize(row)),
  item('clockOffsetMs', (ms) => (ms === null ? '' : secondsText(ms))),
  item('freeBytes', (bytes) => (bytes === null ? '' : formatBytes(bytes))),
  item('offlineReady', (ready) => (ready === 1 ? '可用' : '未启用HTTPS，断网重启后无法播放')),
  item('timeZone', (zone) => zone || '与管理端一致'),
  item('audienceFactor'),
  item('volume', (volume) => `${volume}%`),
  item('lastReportTime', time),
  item('createTime', time),
  item('tenantName'),
  item('modelName'),
  wide('failed', (failed) =>
    failed.length === 0 ? (
      ''
    ) : (
      <ul className="ad-screen-failed">
        {failed.map(({ sha256, reason, adName }) => (
          <li key={sha256}>
            {adName ? `《${adName}》` : `文件 ${sha256.slice(0, 12)}…`} {formatPlayerFailure(reason)}
          </li>
        ))}
      </ul>
    ),
  ),
  wide('smilReplaced', (replaced, row) =>
    row.playerKind === SMIL
      ? `${replaced === 1 ? '播放器已更换。' : ''}${lacksAddress(row) ? `${LOST_ADDRESS}。` : ''}${SMIL_NOTE}`
      : '',
  ),
]
