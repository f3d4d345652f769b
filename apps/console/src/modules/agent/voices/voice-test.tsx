import { agentVoices, VOICE_TEST_TEXT, type VoiceRow } from '@oms/contract/agent/voices/voice.ts'
import { Alert, Button, Form, Modal } from 'antd'
import { useCallback, useState } from 'react'
import { buildSessionHeaders } from '#core/api/client.ts'
import { findDownloadText } from '#core/api/download.ts'
import { toRequestParts } from '#core/api/wire.ts'
import { NoteField } from '#kit/form/field.tsx'
import '../models/model.css'

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
