import { MAX_VIEW_PICTURES, type playbackConsents } from '@oms/contract/storage/consent.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { Watermark } from './watermark.tsx'
import './playback.css'

type Pictures = ResultOf<typeof playbackConsents.view>['pictures']

/** Shows the pictures of a view one at a time, with the viewer's name over each picture. */
export function ViewPictures({ pictures, watermark }: { readonly pictures: Pictures; readonly watermark: string }) {
  const [at, setAt] = useState(0)
  const [failed, setFailed] = useState<string>()
  const shown = pictures[at]!
  return (
    <section className="kit-stack" aria-label="图片">
      <h3 className="kit-heading">图片 {pictures.length} 张</h3>
      {pictures.length === MAX_VIEW_PICTURES && (
        <p className="kit-hint">最多显示 {MAX_VIEW_PICTURES} 张，请缩小查看范围。</p>
      )}
      <div className="playback-screen">
        {failed === shown.url ? (
          <p className="playback-gone">图片无法显示：已被删除，或播放地址已失效</p>
        ) : (
          <img
            src={shown.url}
            alt={`摄像机图片 ${shown.time}`}
            draggable={false}
            onError={() => setFailed(shown.url)}
          />
        )}
        <Watermark text={watermark} />
      </div>
      <div className="kit-row kit-apart">
        <p className="kit-muted" role="status">
          拍摄时间 {shown.time}
        </p>
        <Button size="small" disabled={at === 0} onClick={() => setAt(at - 1)}>
          上一张
        </Button>
        <span>
          {at + 1} / {pictures.length}
        </span>
        <Button size="small" disabled={at === pictures.length - 1} onClick={() => setAt(at + 1)}>
          下一张
        </Button>
      </div>
    </section>
  )
}
