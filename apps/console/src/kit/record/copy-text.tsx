import { CopyOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { copyToClipboard } from './copy-to-clipboard.ts'
import '#kit/kit.css'

/** Renders a text (serial number, digest, key) with a copy button. */
export function CopyText({ text, shown = text }: { text: string; shown?: string }) {
  if (!text) return <span className="kit-none">-</span>
  return (
    <span className="kit-copy">
      <span title={text}>{shown}</span>
      <Button
        type="text"
        size="small"
        aria-label={`复制 ${text}`}
        icon={<CopyOutlined />}
        onClick={() => void copyToClipboard(text)}
      />
    </span>
  )
}
