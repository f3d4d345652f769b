import { type ProgramListRow, programs } from '@oms/contract/advertise/program.ts'
import { PROGRAM_VERSION_STATE } from '@oms/contract/advertise/program-words.ts'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { EarlierReviews } from '../earlier-reviews.tsx'
import { usePlayModes } from '../programs/program-cells.tsx'
import { describeVersion } from './describe-version.ts'

const MAX_VERSIONS = 50

interface Props {
  readonly id: ProgramListRow['id']
  readonly verNo: number
}

/** Shows the decisions about the versions before the reviewed version, and the changes since a rejection. */
export function EarlierProgramReviews({ id, verNo: reviewed }: Props) {
  const { label: playMode } = usePlayModes()
  const query = { id, pageNum: 1, pageSize: MAX_VERSIONS }
  const { data, error, refetch } = useRead(programs.versions, query, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={2} />
  const waiting = data.list.find(({ verNo }) => verNo === reviewed)
  const earlier = data.list.filter(({ verNo, auditTime }) => verNo < reviewed && auditTime !== null)
  const reviews = earlier.map(({ verNo, state, auditByName, auditTime, auditRemark }) => ({
    verNo,
    isRejection: state === PROGRAM_VERSION_STATE.rejected,
    reviewer: auditByName,
    time: auditTime ?? '',
    remark: auditRemark,
  }))
  const [now, before] = [describeVersion(waiting, playMode), describeVersion(earlier[0], playMode)]
  return <EarlierReviews noun="审批" reviews={reviews} now={now} before={before} />
}
