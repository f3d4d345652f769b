import { type ProgramListRow, type ProgramVersionView, programs } from '@oms/contract/advertise/program.ts'
import { formatDuration, INSERT_MODE_NAME, PROGRAM_VERSION_STATE } from '@oms/contract/advertise/program-words.ts'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { EarlierReviews } from '../earlier-reviews.tsx'
import { formatPlayTimes, formatTarget, usePlayModes } from './program-cells.tsx'

const MAX_VERSIONS = 50

/** Shows the decisions about the versions before the one that waits, and the changes since the last rejection. */
export function EarlierProgramReviews({ row: { id, waitingVer } }: { row: Pick<ProgramListRow, 'id' | 'waitingVer'> }) {
  const { label: playMode } = usePlayModes()
  const query = { id, pageNum: 1, pageSize: MAX_VERSIONS }
  const { data, error, refetch } = useRead(programs.versions, query, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={2} />
  const waiting = data.list.find(({ verNo }) => verNo === waitingVer)
  const earlier = data.list.filter(({ verNo, auditTime }) => verNo < waitingVer && auditTime !== null)
  const reviews = earlier.map(({ verNo, state, auditByName, auditTime, auditRemark }) => ({
    verNo,
    isRejection: state === PROGRAM_VERSION_STATE.rejected,
    reviewer: auditByName,
    time: auditTime ?? '',
    remark: auditRemark,
  }))
  return <EarlierReviews reviews={reviews} now={describe(waiting, playMode)} before={describe(earlier[0], playMode)} />
}

/** Describes the content of a version, one entry a field. */
function describe(version: ProgramVersionView | undefined, playMode: (code: number) => string) {
  if (!version) return []
  const { targets, targetCount, adNames } = version
  const unnamed = targetCount - targets.length
  const names = [...targets.map(({ name }) => name), ...(unnamed > 0 ? [`另 ${unnamed} 个`] : [])]
  const fields: [string, string, string][] = [
    ['programName', '节目单名称', version.programName],
    ['ads', '广告', adNames.join('、')],
    ['totalDuration', '总时长', formatDuration(version.totalDuration)],
    ['dates', '投放日期', `${version.dateFrom} ~ ${version.dateTo}`],
    ['times', '时段', formatPlayTimes(version)],
    ['targets', '投放对象', [formatTarget(version), ...names].join('、')],
    ['resolution', '分辨率', version.resolution],
    ['playMode', '播放方式', playMode(version.playMode)],
    ['priority', '优先级', String(version.priority)],
    ['insertMode', '插播', INSERT_MODE_NAME[version.insertMode as 0]],
    ['shareOfVoice', '份额', version.shareOfVoice === null ? '' : `${version.shareOfVoice}%`],
  ]
  return fields.map(([field, title, value]) => ({ field, title, value }))
}
