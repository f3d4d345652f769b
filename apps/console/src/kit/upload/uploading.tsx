import { Spin } from 'antd'

/** Overlay shown while files are uploaded. */
export function UploadOverlay({ pending }: { pending: number }) {
  return pending > 0 ? <Spin fullscreen description={`正在上传，还剩 ${pending} 个文件…`} /> : null
}
