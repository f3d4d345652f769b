import { agentVoices, VoiceInput, type VoiceRow } from '@oms/contract/agent/voices/voice.ts'
import { about } from '@oms/contract/core/fields.ts'
import { Input, InputNumber } from 'antd'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import './voice.css'

type Field = 'name' | 'languages' | 'sort'
interface CellProps {
  readonly row: VoiceRow
  readonly field: Field
}

/** Cell that changes a field of a voice in the table. Shows only text for voices that the account may not change. */
export function VoiceCell({ row, field }: CellProps) {
  const [isEditing, setEditing] = useState(false)
  const mayEdit = useMayCall()(agentVoices.update) && row.isEditable
  const text = String(row[field])
  if (isEditing) return <Editor row={row} field={field} onEnd={() => setEditing(false)} />
  const shown = text || <span className="kit-none">-</span>
  if (!mayEdit) return shown
  const { title } = about(VoiceInput, field)
  return (
    <button
      type="button"
      className="voice-cell"
      title={text ? `${text}（点击修改）` : '点击修改'}
      aria-label={`修改 ${row.name} 的${title}：${text || '未填写'}`}
      onClick={() => setEditing(true)}
    >
      {shown}
    </button>
  )
}

type Value = string | number | null

/** Saves the changed value. After a refusal, keeps the value for correction and sets `isRefused`. */
function useCell({ row, field, onEnd }: CellProps & { readonly onEnd: () => void }) {
  const update = useWrite(agentVoices.update)
  const [value, setValue] = useState<Value>(row[field])
  const [isRefused, setRefused] = useState(false)
  const isEnding = useRef(false)
  const discard = () => {
    isEnding.current = true
    onEnd()
  }
  const save = async () => {
    if (isEnding.current) return
    if (value === row[field] || value === null) return discard()
    isEnding.current = true
    try {
      await update.mutateAsync({ ...row, status: row.status as 0 | 1, [field]: value })
      onEnd()
    } catch {
      // The API client has already shown the error.
      isEnding.current = false
      setRefused(true)
    }
  }
  return { value, setValue, save, discard, isRefused, isSaving: update.isPending }
}

/** Input of the cell. Enter and a loss of focus save the value; Escape discards the value. */
function Editor(props: CellProps & { readonly onEnd: () => void }) {
  const { row, field } = props
  const { title, max } = about(VoiceInput, field)
  const { value, setValue, save, discard, isRefused, isSaving } = useCell(props)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) void save()
    if (event.key === 'Escape') discard()
  }
  const control = {
    size: 'small' as const,
    autoFocus: true,
    'aria-label': `${row.name} 的${title}`,
    readOnly: isSaving,
    onBlur: () => void save(),
    onKeyDown,
    ...(isRefused && { status: 'error' as const }),
  }
  if (field === 'sort')
    return <InputNumber {...control} min={0} max={9999} precision={0} value={value as number} onChange={setValue} />
  return (
    <Input
      {...control}
      {...(max !== undefined && { maxLength: max })}
      value={String(value)}
      onChange={({ target }) => setValue(target.value)}
    />
  )
}
