import type { AdText } from '@oms/contract/advertise/engine/manifest.ts'
import type { CSSProperties } from 'react'
import '../advertise.css'

export type TextAd = Partial<AdText>

/** Height of a screen, to which the font size refers. */
const SCREEN_HEIGHT = 1080
const SLOWEST_SECONDS = 22

/** Shows a text ad in the proportions of a landscape screen. */
export function TextAdView({ text = {} }: { text?: TextAd | undefined }) {
  const { content = '', fontSize = 96, color = '#ffffff', background = '#10243e', align = 'center', speed = 5 } = text
  const style = {
    color,
    background,
    justifyContent: align,
    textAlign: align,
    '--ad-font': `${(fontSize / SCREEN_HEIGHT) * 100}cqh`,
    '--ad-scroll': `${SLOWEST_SECONDS - speed * 2}s`,
  } as CSSProperties
  return (
    <div className="ad-text-view" style={style} role="img" aria-label={content || '文字预览'}>
      <span className={text.scroll ? 'ad-text-scroll' : ''}>{content || '文字预览'}</span>
    </div>
  )
}
