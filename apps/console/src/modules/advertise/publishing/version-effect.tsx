import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { Alert } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { ConflictResult, DryRunDetails, DryRunSummary, NoScreensWarning } from '../programs/check-dialogs.tsx'
import '../advertise.css'

interface Props {
  readonly id: number
  readonly verNo: number
  /** Number of screens when the version was submitted; null when the caller may not know the number. */
  readonly submittedScreens: number | null
}
const FRESH = { quiet: true, staleTime: 0, keepPrevious: false } as const

/** Shows the dry run and the conflict check of a version that waits for approval. */
export function VersionEffect({ id, verNo, submittedScreens }: Props) {
  const dryRun = useRead(programChecks.dryRun, { id, verNo }, FRESH)
  const conflicts = useRead(programChecks.conflict, { id, verNo }, FRESH)
  return (
    <>
      <section aria-label="发布预演">
        <h3 className="kit-heading">发布预演</h3>
        {dryRun.data ? (
          <Effect of={dryRun.data} submittedScreens={submittedScreens} />
        ) : (
          <Waiting reads={[dryRun]} rows={2} />
        )}
      </section>
      <section aria-label="冲突检查">
        <h3 className="kit-heading">冲突检查</h3>
        {conflicts.data ? (
          <ConflictResult of={conflicts.data} errorTitle="须先处理，否则不能通过" warningTitle="通过后会有以下影响" />
        ) : (
          <Waiting reads={[conflicts]} rows={2} />
        )}
      </section>
    </>
  )
}

interface EffectProps extends Pick<Props, 'submittedScreens'> {
  readonly of: Parameters<typeof DryRunDetails>[0]['of']
}

function Effect({ of, submittedScreens }: EffectProps) {
  if (of.screens === 0) return <NoScreensWarning of={of} />
  const count = of.screens.toLocaleString('en')
  return (
    <div className="kit-stack">
      <DryRunSummary of={of} />
      {submittedScreens !== null && submittedScreens !== of.screens && (
        <p className="kit-muted">提交时为 {submittedScreens.toLocaleString('en')} 块屏幕</p>
      )}
      {of.insertMode > 0 && <Alert type="warning" showIcon title={`插播将打断 ${count} 块屏幕正在播放的内容`} />}
      <details className="ad-details">
        <summary>屏幕、下载和播放次数明细</summary>
        <DryRunDetails of={of} />
      </details>
    </div>
  )
}
