import { programs } from '@oms/contract/advertise/program.ts'
import { useState } from 'react'
import { ProgramEditor, createEditorValues } from './program-editor.tsx'

/** Page that adds a program. */
export default function ProgramAddPage() {
  const [initial] = useState(createEditorValues)
  return <ProgramEditor endpoint={programs.create} id={undefined} tenantId={undefined} initial={initial} targets={[]} />
}
