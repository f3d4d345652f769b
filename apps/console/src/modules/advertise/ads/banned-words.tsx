import { AD_TYPE } from '@oms/contract/advertise/engine/manifest.ts'
import { Alert, Form } from 'antd'
import { useDict } from '#kit/pickers/use-dict.ts'

/** Shows the banned words of an ad as a warning; nothing without such words. */
export const BannedWords = ({ words }: { words: readonly string[] }) =>
  words.length > 0 && (
    <Alert type="warning" showIcon className="kit-note" title={`疑似绝对化用语：${words.join('、')}`} />
  )

/** Shows the words of the dictionary `ad_banned_words` that the edited name and text contain. */
export function EditedBannedWords() {
  const { options } = useDict('ad_banned_words')
  const name = Form.useWatch<string | undefined>('adName') ?? ''
  const adType = Form.useWatch<number | undefined>('adType')
  const content = Form.useWatch<string | undefined>(['text', 'content']) ?? ''
  const text = adType === AD_TYPE.text ? `${name}\n${content}` : name
  return <BannedWords words={options.map(({ label }) => label).filter((word) => text.includes(word))} />
}
