import { RecordHistory } from '#kit/record/record-history.tsx'
import { useArtifactKind } from './artifact-kind.ts'
import './ota.css'

/** Operation history of a version, newest entry first. */
export function OtaHistory({ otaId }: { otaId: number }) {
  const { key: bizType } = useArtifactKind()
  return (
    <>
      <h3 className="ota-heading">变更历史</h3>
      <RecordHistory bizType={bizType} bizId={otaId} />
    </>
  )
}
