import {
  agentVoices,
  VoiceInput,
  type VoiceRow,
  VOICE_TEST_TEXT,
  type VoiceUse,
} from '@oms/contract/agent/voices/voice.ts'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { Field, NoteField, NumberField, SwitchField, TextField } from '#kit/form/field.tsx'
import { RecordForm } from '#kit/form/record-form.tsx'
import { FileUpload } from '#kit/upload/file-upload.tsx'
import { SpeechModelSelect } from './voice.tsx'
import { Alert, Button, Form, Modal, Spin } from 'antd'
import { useCallback, useState } from 'react'
import { buildSessionHeaders } from '#core/api/client.ts'
import { findDownloadText } from '#core/api/download.ts'
import { toRequestParts } from '#core/api/wire.ts'
import '../models/model.css'
import { useRead } from '#core/api/query.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { agentDetailPath } from '../agents/agent.tsx'
import { VoiceCloneInput, voiceClones, type VoiceCloneRow } from '@oms/contract/agent/voices/voice-clone.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

/** Creates or edits a voice. */
export const VoiceForm = ({ row, onClose }: { row: VoiceRow | 'new'; onClose(): void }) => (
  <RecordForm
    calls={agentVoices}
    noun="音色"
    row={row}
    nameOf={({ name }) => name}
    initial={{ sort: 0, status: 1 }}
    toForm={(voice) => ({ ...voice, status: voice.status as 0 | 1 })}
    onClose={onClose}
  >
    {(fresh) => <Fields row={fresh} />}
  </RecordForm>
)

const Fields = ({ row }: { row: VoiceRow | undefined }) => (
  <>
    <Field of={VoiceInput} name="modelId">
      <SpeechModelSelect chosen={row && { id: row.modelId, name: row.modelName }} />
    </Field>
    <div className="kit-pair">
      <TextField of={VoiceInput} name="name" />
      <TextField of={VoiceInput} name="code" hint="厂商提供的音色编码" />
    </div>
    <div className="kit-pair">
      <TextField of={VoiceInput} name="languages" hint="多个语言用顿号分隔，第一个为默认" />
      <NumberField of={VoiceInput} name="sort" />
    </div>
    <Field of={VoiceInput} name="demoFile">
      <FileUpload
        rule={UPLOAD.agentAudio}
        purpose="agentDemo"
        names={row?.demoFile ? { [row.demoFile]: row.demoFileName } : {}}
      />
    </Field>
    <TextField of={VoiceInput} name="demoUrl" hint="可公开访问的音频地址，没有试听文件时使用" />
    <TextField of={VoiceInput} name="referenceAudio" hint="克隆类模型使用：语音服务上的音频路径" />
    <NoteField of={VoiceInput} name="referenceText" rows={2} />
    <SwitchField of={VoiceInput} name="status" />
    <NoteField of={VoiceInput} name="remark" rows={2} />
  </>
)

interface Sentence {
  readonly id: number
  readonly text: string
}
type Result = { readonly speech: Blob; readonly ms: number } | { readonly failure: string }

/** Requests the speech. Returns the message of the server when the response is a JSON envelope instead of audio. */
async function synthesise(input: Sentence): Promise<Result> {
  const { url, body, contentType } = toRequestParts(agentVoices.test, { ...input })
  const startedAt = performance.now()
  try {
    const response = await fetch(url, {
      method: agentVoices.test.method,
      body,
      headers: { ...buildSessionHeaders(), ...(contentType && { 'content-type': contentType }) },
    })
    if (response.headers.get('content-type')?.startsWith('audio/'))
      return { speech: await response.blob(), ms: Math.round(performance.now() - startedAt) }
    const { code = response.status, msg = '' } = (await response.json()) as { code?: number; msg?: string }
    return { failure: findDownloadText(code, msg) }
  } catch {
    return { failure: '网络连接失败，请重试' }
  }
}

/** Dialog that requests the speech of a sentence from the vendor of the voice, and plays the speech. */
export function VoiceTestDialog({ row, onClose }: { row: VoiceRow; onClose(): void }) {
  const [isRunning, setRunning] = useState(false)
  const [result, setResult] = useState<Result>()
  const run = async ({ text }: Pick<Sentence, 'text'>) => {
    setRunning(true)
    setResult(await synthesise({ id: row.id, text }))
    setRunning(false)
  }
  return (
    <Modal open title={`测试音色「${row.name}」`} footer={null} onCancel={onClose} destroyOnHidden>
      <p>由模型「{row.modelName}」的厂商合成语音，厂商会按字数收费。</p>
      <Form
        name="voice-test"
        layout="vertical"
        initialValues={{ text: VOICE_TEST_TEXT }}
        onFinish={(values: Pick<Sentence, 'text'>) => void run(values)}
      >
        <NoteField of={agentVoices.test.input} name="text" rows={2} />
        <Button type="primary" htmlType="submit" loading={isRunning}>
          合成并播放
        </Button>
      </Form>
      <div className="agent-test" aria-live="polite">
        {result && !isRunning && <Outcome result={result} />}
      </div>
    </Modal>
  )
}

function Outcome({ result }: { result: Result }) {
  if ('failure' in result) return <Alert type="error" showIcon title="测试未通过" description={result.failure} />
  return (
    <>
      <Alert type="success" showIcon title={`合成成功，耗时 ${result.ms.toLocaleString()} 毫秒`} />
      <Player speech={result.speech} />
    </>
  )
}

/** Plays a blob through a URL that the content security policy permits, and releases the URL afterwards. */
function Player({ speech }: { speech: Blob }) {
  const attach = useCallback(
    (player: HTMLAudioElement) => {
      const url = URL.createObjectURL(speech)
      player.src = url
      return () => URL.revokeObjectURL(url)
    },
    [speech],
  )
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- the field above shows the spoken sentence
  return <audio ref={attach} controls autoPlay aria-label="合成的语音" className="agent-test" />
}

const NOUNS = { agent: '智能体', template: '模板' } as const

/** Lists the agents and templates that use a voice, with links to them. */
export function VoiceUses({ row, onClose }: { readonly row: VoiceRow; readonly onClose: () => void }) {
  const { data, error, refetch } = useRead(agentVoices.uses, { id: row.id }, { quiet: true })
  return (
    <Modal open title={`使用「${row.name}」的智能体和模板`} footer={null} onCancel={onClose}>
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && <Spin size="small" />}
      {data && (
        <ul className="kit-lines agent-uses">
          {data.list.map((use) => (
            <li key={`${use.kind}${use.id}`}>
              <PermittedLink to={pathOf(use)}>{use.name}</PermittedLink>
              <small>{[NOUNS[use.kind], use.tenantName].filter(Boolean).join(' · ')}</small>
            </li>
          ))}
        </ul>
      )}
    </Modal>
  )
}

const pathOf = ({ kind, id, name }: VoiceUse) =>
  kind === 'agent' ? agentDetailPath(id) : `/agent/template?templateName=${encodeURIComponent(name)}`

interface CloneFormProps {
  readonly initial?: Partial<InputOf<typeof voiceClones.create>>
  readonly onClose: () => void
}

/** Submits a recording for the training of a cloned voice. */
export function CloneForm({ initial, onClose }: CloneFormProps) {
  const { modal, form } = useFormModal(voiceClones.create, { onClose, ...(initial && { initial }) })
  return (
    <Modal title="新增克隆音色" width={640} {...modal} okText="提交训练">
      <p className="kit-hint">录音会发送给火山引擎训练音色。只能克隆同意者本人的声音，同意人和同意时间会随音色保存。</p>
      <Form {...form}>
        <Field of={VoiceCloneInput} name="modelId" hint="只列出本客户自己的火山双向流式语音合成模型">
          <CloneModelSelect />
        </Field>
        <div className="kit-pair">
          <TextField of={VoiceCloneInput} name="name" />
          <TextField of={VoiceCloneInput} name="voiceId" hint="在火山引擎购买的音色，以 S_ 开头" />
        </div>
        <Field of={VoiceCloneInput} name="recording" hint="8～60 秒，只有一个人说话，没有背景声">
          <FileUpload rule={UPLOAD.agentAudio} purpose="agentAudio" />
        </Field>
        <div className="kit-pair">
          <TextField of={VoiceCloneInput} name="consentSpeaker" hint="录音中说话的人" />
          <DateTimeField of={VoiceCloneInput} name="consentTime" />
        </div>
      </Form>
    </Modal>
  )
}

/** Selects a model that trains clones. */
function CloneModelSelect(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(voiceClones.models, { keyword }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, code }) => ({ value: id, label: `${name}（${code}）` }))
  return <RecordSelect placeholder="请选择语音合成模型" {...props} source={{ options, read, onSearch }} />
}

interface Props {
  readonly row: VoiceCloneRow
  onClose(): void
}

/** Changes the name of a cloned voice. */
export const CloneRename = ({ row, onClose }: Props) => (
  <RecordForm calls={voiceClones} noun="克隆音色" row={row} nameOf={({ name }) => name} onClose={onClose}>
    {() => <TextField of={VoiceCloneInput} name="name" />}
  </RecordForm>
)
