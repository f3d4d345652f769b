import type { LicenseRow } from '@oms/contract/license/license-rows.ts'
import { Button } from 'antd'
import { useCan } from '#core/auth/session.tsx'
import type { Picked } from '#kit/table/data-table.tsx'
import { LICENSE_STEP_DIALOGS, type StepName } from './license-steps.ts'
import type { Dialog } from './use-license-actions.tsx'

/** Batch actions on selected certificates. */
export function LicenseBatchBar({ picked, onDialog }: { picked: Picked<LicenseRow>; onDialog(dialog: Dialog): void }) {
  const can = useCan()
  const steps = (Object.keys(LICENSE_STEP_DIALOGS) as StepName[]).filter((kind) =>
    can(LICENSE_STEP_DIALOGS[kind].to.access),
  )
  return (
    <>
      {steps.map((kind) => (
        <Button
          key={kind}
          size="small"
          danger={kind === 'scrap'}
          onClick={() => onDialog({ kind, rows: picked.rows, onDone: picked.clear })}
        >
          {LICENSE_STEP_DIALOGS[kind].label}
        </Button>
      ))}
    </>
  )
}
