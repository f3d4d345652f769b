import { programs } from '@oms/contract/advertise/program.ts'
import { useCallback } from 'react'
import { useParams } from 'react-router'
import { call } from '#core/api/client.ts'
import { useFormRecord } from '#core/api/query.ts'
import { useSearchParams } from '#core/routing/router.tsx'
import { useTabTitle } from '#core/routing/tab.tsx'
import { RecordPage } from '#kit/record/record-page.tsx'
import { PROGRAM_LIST_PATH } from './program-cells.tsx'
import { ProgramEditor, parseAfterSave, toEditorValues } from './program-editor.tsx'

/** Page that edits a program. */
export default function ProgramEditPage() {
  const id = Number(useParams().id)
  const [query, setQuery] = useSearchParams()
  // Without the parameter, a reload does not open the dialog again.
  const removeDialogName = useCallback(() => setQuery('', { replace: true }), [setQuery])
  const read = useFormRecord(() => call(programs.get, { id }, { quiet: true }))
  useTabTitle(read.data && `编辑 ${read.data.programName}`)
  return (
    <RecordPage read={read} list={PROGRAM_LIST_PATH}>
      {(program) => (
        <ProgramEditor
          endpoint={programs.update}
          id={id}
          tenantId={program.tenantId}
          tenantName={program.tenantName}
          initial={toEditorValues(program)}
          targets={program.targets}
          opens={parseAfterSave(query.get('then'))}
          onOpened={removeDialogName}
        />
      )}
    </RecordPage>
  )
}
