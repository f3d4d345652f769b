import { CopyOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { toast } from '#core/loading/toast.ts'
import '#kit/kit.css'

/** Renders a text (serial number, digest, key) with a copy button. */
export function CopyText({ text, shown = text }: { text: string; shown?: string }) {
  if (!text) return <span className="kit-none">-</span>
  const copy = async () => ((await copied(text)) ? toast.success('已复制') : toast.warning('复制失败，请手动复制'))
  return (
    <span className="kit-copy">
      <span title={text}>{shown}</span>
      <Button type="text" size="small" aria-label={`复制 ${text}`} icon={<CopyOutlined />} onClick={copy} />
    </span>
  )
}

/** Copies text. The clipboard API requires https or localhost; elsewhere `execCommand` is used. */
async function copied(text: string) {
  if (navigator.clipboard)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  return done
}
