import { Button } from 'antd'

/** Pagination of a short list next to a form. */
export function SmallPager({
  pages,
  pageNum,
  onPage,
}: {
  pages: number
  pageNum: number
  onPage(pageNum: number): void
}) {
  return (
    <nav className="kit-row" style={{ justifyContent: 'center', paddingBlock: 8 }} aria-label="分页">
      <Button size="small" disabled={pageNum <= 1} onClick={() => onPage(pageNum - 1)}>
        上一页
      </Button>
      <span>
        {pageNum} / {pages}
      </span>
      <Button size="small" disabled={pageNum >= pages} onClick={() => onPage(pageNum + 1)}>
        下一页
      </Button>
    </nav>
  )
}
