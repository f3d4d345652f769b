import { agentModels } from '@oms/contract/agent/models/config.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

/** Selects a text-to-speech model. */
export function SpeechModelSelect(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(agentModels.options, { type: 'TTS', keyword }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name, code }) => ({ value: id, label: `${name}（${code}）` }))
  return (
    <RecordSelect
      {...props}
      placeholder="请选择语音合成模型"
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}
