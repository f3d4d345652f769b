import type { ProgramListRow } from '@oms/contract/advertise/program.ts'
import {
  formatDayParts,
  INSERT_MODE_NAME,
  PLAY_MODE_NAME,
  PROGRAM_STATUS_NAME,
  PROGRAM_TARGET_NAME,
  formatWeekdays,
} from '@oms/contract/advertise/program-words.ts'
import { Tag } from 'antd'
import { useDictLabels, DictLabel, DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { RejectedTag } from '../ads/ad-cells.tsx'
import './program.css'
import { DesktopOutlined } from '@ant-design/icons'
import { adScreens } from '@oms/contract/advertise/screen.ts'
import { useCan, useMayCall } from '#core/auth/session.tsx'
import { Link } from '#core/routing/router.tsx'
import '../advertise.css'

export const PROGRAM_LIST_PATH = '/advertiseManage/ProgramList'

const STATUS_COLOR: Readonly<Record<number, string>> = {
  0: 'default',
  1: 'gold',
  2: 'processing',
  3: 'success',
  4: 'warning',
  5: 'default',
}

export const useProgramStates = () => useDictLabels('program_status', PROGRAM_STATUS_NAME)
export const usePlayModes = () => useDictLabels('program_play_mode', PLAY_MODE_NAME)

export const PlayMode = ({ mode }: { mode: number }) => (
  <DictLabel type="program_play_mode" words={PLAY_MODE_NAME} value={mode} />
)

/** State of a program. A version that waits for approval or is rejected, and unpublished changes have their own tags. */
export const ProgramStatus = ({
  row: { status, verNo, waitingVer, publishedVer, rejectedRemark, hasChanges },
}: {
  row: Pick<ProgramListRow, 'status' | 'verNo' | 'waitingVer' | 'publishedVer' | 'rejectedRemark' | 'hasChanges'>
}) => (
  <span className="kit-tags">
    <DictLabelTag type="program_status" words={PROGRAM_STATUS_NAME} value={status} color={STATUS_COLOR[status]} />
    {publishedVer > 0 && waitingVer > 0 && <Tag color="gold">版本 {waitingVer} 待审批</Tag>}
    {rejectedRemark !== null && (
      <RejectedTag reason={rejectedRemark}>
        <Tag color="error">版本 {verNo} 已驳回</Tag>
      </RejectedTag>
    )}
    {hasChanges && publishedVer > 0 && <Tag>有未发布的修改</Tag>}
  </span>
)

/** Name of a program with its tags. */
export const ProgramName = ({ row }: { row: Pick<ProgramListRow, 'programName' | 'isDefault' | 'insertMode'> }) => (
  <span className="kit-tags ad-name">
    <Ellipsis text={row.programName} />
    {row.isDefault === 1 && <Tag color="blue">默认</Tag>}
    {row.insertMode > 0 && <Tag color="volcano">{INSERT_MODE_NAME[row.insertMode as 1]}</Tag>}
  </span>
)

export const PlayDates = ({ row: { dateFrom, dateTo } }: { row: Pick<ProgramListRow, 'dateFrom' | 'dateTo'> }) => (
  <span className="kit-time">
    {dateFrom} ~ {dateTo}
  </span>
)

/** Weekdays and times of day as text. */
export const formatPlayTimes = ({ weekdays, dayParts }: Pick<ProgramListRow, 'weekdays' | 'dayParts'>) =>
  `${formatWeekdays(weekdays)} ${formatDayParts(dayParts)}`

const TARGET_UNIT: Readonly<Record<number, string>> = { 1: '台', 2: '个', 3: '个', 4: '个' }
type Targets = Pick<ProgramListRow, 'targetType' | 'targetCount'> & { readonly isDefault?: number }
/** Returns the number of targets. A default program plays on all screens of its tenant, whatever its targets. */
export function formatTarget(row: Targets) {
  const { targetType, targetCount, isDefault } = row
  if (isDefault === 1) return '全部屏幕'
  return targetCount === 0
    ? '未选择'
    : `${targetCount} ${TARGET_UNIT[targetType]}${PROGRAM_TARGET_NAME[targetType as 1]}`
}

const SCREENS_PATH = '/advertiseManage/ProgramList/screens'

/** Link to the screens that play ads. */
export function ScreensLink() {
  if (!useCan()('advertiseManage:ProgramList:query')) return null
  return (
    <Link to={SCREENS_PATH} className="kit-row">
      <DesktopOutlined aria-hidden /> 屏幕
    </Link>
  )
}

/** Names the page where screens are paired, as a link for accounts that may pair screens. */
export const PairingLink = () =>
  useMayCall()(adScreens.pair) ? (
    <Link to={SCREENS_PATH} className="ad-pairing-link">
      去配对
    </Link>
  ) : (
    <>联系管理屏幕的人员配对</>
  )
