import type { ReactNode } from 'react'
import './drawing.css'

const SHEET = 'M46 14h36l16 16v52a5 5 0 0 1-5 5H46a5 5 0 0 1-5-5V19a5 5 0 0 1 5-5Z'
const FRAME = 'M31 22h78a5 5 0 0 1 5 5v51a5 5 0 0 1-5 5H31a5 5 0 0 1-5-5V27a5 5 0 0 1 5-5Z'
const WINDOW = (
  <>
    <path className="soft" d={FRAME} />
    <path d="M26 36h88M33 29h2M40 29h2M47 29h2" />
  </>
)

/** Line drawings of 140 × 100 pixels. `soft` areas are filled, `accent` lines have the accent of the installation. */
const DRAWINGS = {
  list: (
    <>
      <path d="M50 12h43a7 7 0 0 1 7 7v57" />
      <path className="soft" d="M42 20h44a6 6 0 0 1 6 6v55a6 6 0 0 1-6 6H42a6 6 0 0 1-6-6V26a6 6 0 0 1 6-6Z" />
      <path d="M56 36h22M56 53h22M56 70h14M45 53h2M45 70h2" />
      <path className="accent" d="m43.5 36 2 2 4-4.5" />
    </>
  ),
  search: (
    <>
      <path className="soft" d="M40 14h46a6 6 0 0 1 6 6v60a6 6 0 0 1-6 6H40a6 6 0 0 1-6-6V20a6 6 0 0 1 6-6Z" />
      <path d="M46 31h34M46 45h18M46 59h10" />
      <path className="accent soft" d="M81 44a17 17 0 1 1 0 34 17 17 0 0 1 0-34Z" />
      <path className="accent" d="m94 73 14 15M75 61h12" />
    </>
  ),
  chart: (
    <>
      <path d="M32 16v68h78" />
      <path className="soft" d="M44 84V62h12v22M66 84V50h12v34M88 84V68h12v16" />
      <path className="accent" strokeDasharray="4 5" d="m44 46 16-9 20 3 22-18" />
    </>
  ),
  device: (
    <>
      <path className="soft" d="M42 24h44a8 8 0 0 1 8 8v26a8 8 0 0 1-8 8H42a8 8 0 0 1-8-8V32a8 8 0 0 1 8-8Z" />
      <path d="M64 66v14M48 86a16 7 0 0 1 32 0M42 34h2" />
      <path className="accent" d="M64 34a11 11 0 1 1 0 22 11 11 0 0 1 0-22Zm0 8a3 3 0 0 1 3 3" />
      <path d="M102 38a10 10 0 0 1 0 14M109 31a20 20 0 0 1 0 28" />
    </>
  ),
  done: (
    <>
      <path d="M22 40h8M26 36v8M108 66h8M112 62v8M106 22h1M32 74h1" />
      <path className="soft" d="M70 20a31 31 0 1 1 0 62 31 31 0 0 1 0-62Z" />
      <path className="accent" d="m56 51 10 10 19-20" />
    </>
  ),
  denied: (
    <>
      {WINDOW}
      <path d="M61 58v-5a9 9 0 0 1 18 0v5" />
      <path className="accent" d="M58 58h24v17H58ZM70 65v3" />
    </>
  ),
  error: (
    <>
      {WINDOW}
      <path className="accent" d="M70 46 87 75H53Zm0 11v8m0 4.5v.01" />
    </>
  ),
  offline: (
    <>
      <path className="soft" d="M46 74a18 18 0 0 1 1-36 23 23 0 0 1 44-3 19.5 19.5 0 0 1 5 39Z" />
      <path className="accent" d="m62 48 16 16m0-16L62 64" />
      <path strokeDasharray="3 6" d="M56 88h28" />
    </>
  ),
  page: (
    <>
      <path d="M24 87h92" />
      <path className="soft" d={SHEET} />
      <path d="M82 14v16h16" />
      <path className="accent" d="M61 48a9 9 0 1 1 14 7c-3 2-5 4-5 7m0 9v.01" />
    </>
  ),
} satisfies Readonly<Record<string, ReactNode>>

export type DrawingName = keyof typeof DRAWINGS

/** Renders the drawing of an empty state. The text beside the drawing says what the drawing shows. */
export const Drawing = ({ of }: { of: DrawingName }) => (
  <svg className="drawing" viewBox="0 0 140 100" width="140" height="100" aria-hidden="true">
    {DRAWINGS[of]}
  </svg>
)
