/** What stands in a page's place while its code is on the way, with the bar at the top of the window. */
export const PageLoading = () => (
  <>
    <div className="progress" role="progressbar" aria-label="页面加载中" />
    <div className="loading" aria-hidden="true">
      <div className="loading-line" />
      <div className="loading-block" />
    </div>
  </>
)
