import type { LicenseRow } from '@oms/contract/license-rows.ts'
import { Button } from 'antd'
import { useCan } from '#kernel/session.tsx'
import type { Picked } from '#kit/data-table.tsx'
import { STEPS, type StepName } from './license-steps.ts'
import type { Dialog } from './use-license-actions.tsx'

/** What is done to all ticked certificates by one call. */
export function LicenseBatchBar({ picked, onDialog }: { picked: Picked<LicenseRow>; onDialog(dialog: Dialog): void }) {
  const can = useCan()
  const steps = (Object.keys(STEPS) as StepName[]).filter((kind) => can(STEPS[kind].to.access))
  return (
    <>
      {steps.map((kind) => (
        <Button
          key={kind}
          size="small"
          danger={kind === 'scrap'}
          onClick={() => onDialog({ kind, rows: picked.rows, onDone: picked.clear })}
        >
          {STEPS[kind].label}
        </Button>
      ))}
    </>
  )
}
