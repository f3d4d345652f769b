import { CopyOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { toast } from '#kernel/toast.ts'
import './kit.css'

/** A text one often needs elsewhere (serial, digest, key), with a button that copies it. */
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

/** The clipboard API exists on https and localhost only; elsewhere the old command still works. */
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
