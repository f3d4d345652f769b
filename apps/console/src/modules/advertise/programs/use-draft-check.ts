import { programChecks } from '@oms/contract/advertise/program-check.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import type { FormInstance } from 'antd'
import { useState } from 'react'
import { selectAcceptedFields } from '#kit/form/form-values.ts'

/** Check of the edited content, which is not saved for it. */
export type DraftCheck = 'conflict' | 'dryRun'
type Draft = InputOf<typeof programChecks.draftConflict>

interface Edited {
  readonly id: number | undefined
  readonly tenantId: number | undefined
}

/** Returns the open check with the content that it checks. An incomplete form shows its errors and opens no check. */
export function useDraftCheck(form: FormInstance, { id, tenantId }: Edited) {
  const [checked, setChecked] = useState<{ kind: DraftCheck; draft: Draft }>()
  const check = (kind: DraftCheck) =>
    void form.validateFields().then(
      () => {
        const values = { ...(form.getFieldsValue(true) as object), id, tenantId }
        setChecked({ kind, draft: selectAcceptedFields(programChecks.draftConflict, values) as Draft })
      },
      ({ errorFields = [] }: { errorFields?: { name: (string | number)[] }[] }) => {
        const [first] = errorFields
        if (first) form.scrollToField(first.name, { block: 'center', focus: true })
      },
    )
  return { checked, check, closeCheck: () => setChecked(undefined) }
}
