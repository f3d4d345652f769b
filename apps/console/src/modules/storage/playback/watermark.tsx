import './playback.css'

const WATERMARK_COUNT = 12

/** Repeats the viewer's name over a recording. */
export const Watermark = ({ text }: { text: string }) => (
  <div className="playback-watermark" aria-hidden>
    {Array.from({ length: WATERMARK_COUNT }, (_, place) => (
      <span key={place}>{text}</span>
    ))}
  </div>
)
