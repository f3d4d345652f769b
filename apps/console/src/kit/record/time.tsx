import '#kit/kit.css'

interface TimeProps {
  at: string | null | undefined
  /** Shows no seconds; the tooltip shows the full time. */
  short?: true
}

/** Renders a server time (`yyyy-MM-dd HH:mm:ss`) with tabular figures; a dash for an absent time. */
export function Time({ at, short }: TimeProps) {
  return at ? (
    <time className="kit-time" dateTime={at.replace(' ', 'T')} {...(short && { title: at })}>
      {short ? at.slice(0, 'yyyy-MM-dd HH:mm'.length) : at}
    </time>
  ) : (
    <span className="kit-none">-</span>
  )
}

/** Renderer for columns: `col('createTime', time, …)`. */
export const time = (at: string | null | undefined) => <Time at={at} />

/** Renderer for narrow columns whose seconds carry no information. */
export const minutes = (at: string | null | undefined) => <Time at={at} short />
