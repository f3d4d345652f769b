import './kit.css'

/** A moment as the server sent it (`yyyy-MM-dd HH:mm:ss`), in figures of one width; a dash for none. */
export function Time({ at }: { at: string | null | undefined }) {
  return at ? (
    <time className="kit-time" dateTime={at.replace(' ', 'T')}>
      {at}
    </time>
  ) : (
    <span className="kit-none">-</span>
  )
}

/** `col('createTime', time, …)`. */
export const time = (at: string | null | undefined) => <Time at={at} />
