import { RecordHistory } from '#kit/record-history.tsx'
import { useFamily } from './family.ts'
import './ota.css'

/** What was done to a version, newest first. */
export function OtaHistory({ otaId }: { otaId: number }) {
  const { key: bizType } = useFamily()
  return (
    <>
      <h3 className="ota-heading">变更历史</h3>
      <RecordHistory bizType={bizType} bizId={otaId} />
    </>
  )
}
